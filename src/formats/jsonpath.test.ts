import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../model/index.ts'
import { loadJsonPath } from './jsonpath.ts'

const jsonPath = await loadJsonPath()
const STORE = {
  books: [
    { title: 'A.B', price: 8 },
    { title: 'Axb', price: 12 },
  ],
  owner: null,
  'odd key': [1, [2]],
}

describe('JSONPath', () => {
  it.each([
    ['$', [STORE]],
    ['$.books[0].title', ['A.B']],
    ['$.books[-1].price', [12]],
    ['$..price', [8, 12]],
    ['$.owner', [null]],
    ['$.nothing', []],
    ["$['odd key'][1]", [[2]]],
    ['$.books[?@.price < 10].title', ['A.B']],
    ['$.books[?match(@.title, "A.B")].price', [8]],
    ['$.books[?match(@.title, "A..")].price', [8, 12]],
    ['$.books[?search(@.title, "x")].price', [12]],
    ['$.books[?match(@.title, "(")].price', []],
    ['$.books[?length(@.title) == 3].price', [8, 12]],
    ['$.books[?count(@.*) == 2].price', [8, 12]],
  ])('Q109: %s', (path, values) => {
    expect(jsonPath.check(path)).toBeUndefined()
    const selected = jsonPath.select(path, STORE)
    expect(selected).toEqual({ values })
  })

  it('Q109: gives back the very values, not copies', () => {
    const selected = jsonPath.select('$.books', STORE)
    expect('values' in selected && selected.values[0]).toBe(STORE.books)
  })

  it('Q109: a dot of a pattern is no line ending', () => {
    const select = (pattern: string, text: string) => jsonPath.select(`$[?match(@, '${pattern}')]`, [text])
    expect(select('a.b', 'a\rb')).toEqual({ values: [] })
    expect(select('a.b', 'a\u2028b')).toEqual({ values: ['a\u2028b'] })
    expect(select('a[.]b', 'axb')).toEqual({ values: [] })
    expect(select('a\\\\.b', 'a.b')).toEqual({ values: ['a.b'] })
    expect(select('a.b', 'a😀b')).toEqual({ values: ['a😀b'] })
  })

  it.each(['', 'status', '$.', '$[', '$..', '$[?nope(@)]', `$${'.a'.repeat(1000)}`, `$${'[?@'.repeat(300)}`])(
    'Q109: %j is no path',
    (path) => {
      expect(jsonPath.check(path)).toMatchObject({ message: expect.any(String) })
      expect(jsonPath.select(path, STORE)).toHaveProperty('problem')
    },
  )

  const many = Array.from({ length: 20_000 }, (_, index) => index)
  let deep: Json = 1
  for (let level = 0; level < 5000; level++) deep = [deep]

  it.each<[string, string, Json]>([
    ['a filter that looks at everything for everything', '$[?count($[*]) > 1]', many],
    ['descendants of descendants', '$..*..*..*..*..*', nested(12)],
    ['a hostile pattern', '$[?search(@, "(x+x+)+y")]', ['x'.repeat(500_000)]],
    ['patterns over and over', '$[?search($[0], "x*y")]', ['x'.repeat(1_000_000), ...many]],
    ['depth', '$..*', deep],
    [
      'keys over and over',
      '$.a[?length($.b) > 0]',
      { a: many, b: Object.fromEntries(many.map((n) => [`k${n}`, n])) },
    ],
  ])('ends soon on %s', { timeout: 20_000 }, (_what, path, value) => {
    const selected = jsonPath.select(path, value)
    expect('problem' in selected || selected.values.length >= 0).toBe(true)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `$${rest}`),
        ),
        fc.jsonValue(),
        (path, value) => {
          const selected = jsonPath.select(path, value as Json)
          if (jsonPath.check(path) !== undefined) expect(selected).toHaveProperty('problem')
        },
      ),
    )
  })
})

function nested(levels: number): Json {
  return levels === 0 ? 1 : [nested(levels - 1), nested(levels - 1)]
}
