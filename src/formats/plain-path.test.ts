import fc from 'fast-check'
import { JSONPathEnvironment } from 'json-p3'
import { describe, expect, it } from 'vitest'
import type { Json } from '../model/index.ts'
import { parsePlainPath, selectPlain } from './plain-path.ts'

const library = new JSONPathEnvironment()
const VALUE: Json = { a: { b: [1, { c: null }], length: 2 }, constructor: 5, list: ['x'], text: 'abc' }

describe('a path of names and places', () => {
  it.each([
    '$',
    '$.a',
    '$.a.b[1].c',
    '$.a.b[0]',
    '$.list[7]',
    '$.text.length',
    '$.list.length',
    '$.a.b.c',
    '$.constructor',
    '$.toString',
    '$.text[0]',
    '$.a[0]',
    '$.a.__proto__',
  ])('Q120: %s selects what the library selects', (path) => {
    const plain = parsePlainPath(path)
    if (plain === undefined) throw new Error('it is not plain')
    expect(selectPlain(plain, VALUE)).toEqual(library.query(path, VALUE as never).values())
  })

  it.each([
    '$.a[-1]',
    '$[*]',
    '$..a',
    '$.a[?@.b]',
    "$['a']",
    '$.a[01]',
    '$.a[1:2]',
    '$ .a',
    '.a',
    '$.größe',
    '$.1',
  ])('Q120: %s is left to the library', (path) => {
    expect(parsePlainPath(path)).toBeUndefined()
  })

  it('Q120: it does so for any value', () => {
    const segment = fc.oneof(
      fc.constantFrom('.a', '.b', '.c'),
      fc.nat(3).map((index) => `[${index}]`),
    )
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 1, 'x', false),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any')),
      ),
    })).any
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), value, (segments, any) => {
        const path = `$${segments.join('')}`
        const plain = parsePlainPath(path)
        if (plain === undefined) throw new Error('it is not plain')
        expect(selectPlain(plain, any as Json)).toEqual(library.query(path, any as never).values())
      }),
    )
  })
})
