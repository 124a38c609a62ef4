import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/index.ts'
import { loadJsonPath } from '../jsonpath.ts'
import { readMcpkgManifest } from './manifest.ts'
import { rootNames } from './root-names.ts'

const jsonPath = await loadJsonPath()

function read(chain: unknown) {
  const manifest = {
    toolId: 'acme.text.clean_all',
    name: 'Clean',
    version: '1.0.0',
    description: 'Cleans',
    capabilities: [],
    input_schema: { type: 'object' },
    output_schema: {},
    chain,
  }
  return readMcpkgManifest(JSON.stringify(manifest, null, 2), 'manifest.json', jsonPath)
}

const told = (chain: unknown) =>
  read(chain).problems.map(
    ({ pointer, message, hint, severity }) =>
      `${severity === 'warning' ? 'warning ' : ''}${pointer}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
const step = (name: string, more: JsonObject = {}) => ({ step: name, tool: `tool-${name}`, ...more })
const mapping = (value: string, more: JsonObject = {}) => [
  step('a'),
  step('b', { inputMapping: { x: value }, ...more }),
  step('c'),
]
const AT = '/chain/1/inputMapping/x: `chain.inputMapping.x`'

describe('a chain', () => {
  it.each([
    '$',
    '$.input',
    '$.input.files[*].name',
    "$['input']['a b']",
    '$.a.content',
    '$["a"]',
    '$..content',
    '$.a[?@.price < $.input.limit]',
    "$.a[?@.name == '$.later']",
    '$5.00',
    'plain words',
  ])('Q120: may take %j', (path) => {
    expect(told(mapping(path))).toEqual([])
  })

  it.each<[string, string]>([
    ['$.c.x', `${AT} refers to \`c\`, which comes only later (move that step before this one)`],
    ['$.b.x', `${AT} refers to \`b\`, which is the output of this very step`],
    ['$.inptu.x', `${AT} refers to \`inptu\`, which no step before it gives (did you mean $.input?)`],
    ['$.something', `${AT} refers to \`something\`, which no step before it gives (there are input, a)`],
    ['$.a[?@.x == $.c.y]', `${AT} refers to \`c\`, which comes only later (move that step before this one)`],
    ['$.item', `${AT} refers to \`item\`, which is known only in the inputMapping of a step with forEach`],
  ])('Q120: may not take %j', (path, problem) => {
    expect(told(mapping(path))).toEqual([problem])
  })

  it('Q120: a path must be one', () => {
    expect(told(mapping('$.a['))[0]).toContain(`${AT} is not a JSONPath`)
    expect(told([step('a', { when: 'input.x' })])).toEqual([
      '/chain/0/when: `chain.when` must be a JSONPath, which begins with $ (for example $.input.files[*])',
    ])
    expect(told([step('a', { when: '$[' })])[0]).toContain('/chain/0/when: `chain.when` is not a JSONPath')
  })

  it('Q118: outputs are found by outputKey and by step (reading n)', () => {
    const chain = [step('a', { outputKey: 'text' }), step('b', { inputMapping: { x: '$.text', y: '$.a' } })]
    expect(told(chain)).toEqual([])
    expect(read(chain).manifest?.chain?.map(({ outputKey }) => outputKey)).toEqual(['text', 'b'])
  })

  it('Q118: names are unique and mean one thing', () => {
    expect(told([step('a'), step('a')])).toEqual([
      '/chain/1/step: `chain.step` `a` is already the name of an earlier step or output',
    ])
    expect(told([step('a', { outputKey: 'x' }), step('x'), step('c', { outputKey: 'a' })])).toHaveLength(2)
    expect(told([step('input')])).toEqual([
      '/chain/0/step: `chain.step` cannot be input: $.input means something else',
    ])
    expect(told([step('a b')])[0]).toContain('must be a name of letters, digits, _ and -')
  })

  it('Q118: has steps, and no end without them', () => {
    expect(told([])).toEqual(['/chain: `chain` must have at least one step'])
    expect(told(Array.from({ length: 300 }, (_, index) => step(`s${index}`)))).toEqual([
      '/chain: `chain` must not have more than 256 steps',
    ])
    expect(told([{}])).toEqual(['/chain/0: `step` is missing', '/chain/0: `tool` is missing'])
    expect(told([{ step: 'a', tool: 'a b' }])).toEqual([
      '/chain/0/tool: `chain.tool` "a b" cannot be the name of a tool',
    ])
    expect(told([{ step: 'a', tool: 'acme.text.clean_all' }])).toEqual([
      '/chain/0/tool: `chain.tool` is the tool of this very chain, which would never end',
    ])
  })

  it('Q118: reads the extensions', () => {
    const chain = [
      step('a', {
        when: '$.input.on',
        forEach: '$.input.files[*]',
        inputMapping: { file: '$.item', number: '$.index', flag: true, none: null, list: ['$.x'] },
        concurrency: 2,
        retry: 3,
        timeoutMs: 500,
        optional: true,
        parallel: true,
        cache: { ttl: 60_000 },
      }),
    ]
    expect(told(chain)).toEqual([])
    expect(read(chain).manifest?.chain).toEqual([
      {
        step: 'a',
        tool: 'tool-a',
        outputKey: 'a',
        input: {
          file: { kind: 'path', path: '$.item' },
          number: { kind: 'path', path: '$.index' },
          flag: { kind: 'literal', value: true },
          none: { kind: 'literal', value: null },
          list: { kind: 'literal', value: ['$.x'] },
        },
        when: '$.input.on',
        forEach: '$.input.files[*]',
        concurrency: 2,
        retry: 3,
        timeoutMs: 500,
        optional: true,
        parallel: true,
        cache: { ttlMs: 60_000 },
      },
    ])
  })

  it('Q118: tells what is wrong with the extensions', () => {
    expect(
      told([
        step('a', {
          forEach: '$.item',
          concurrency: 0,
          retry: -1,
          timeoutMs: 0,
          optional: 1,
          cache: {},
          whem: '$',
        }),
      ]),
    ).toEqual([
      'warning /chain/0/whem: unknown key `whem` has no effect (did you mean `when`?)',
      '/chain/0/concurrency: `chain.concurrency` must be a whole number from 1 to 256, not 0',
      '/chain/0/retry: `chain.retry` must be a whole number from 0 to 100, not -1',
      '/chain/0/timeoutMs: `chain.timeoutMs` must be a whole number from 1 to 3600000, not 0',
      '/chain/0/optional: `chain.optional` must be true or false, not 1',
      '/chain/0/cache: `ttl` is missing',
      '/chain/0/forEach: `chain.forEach` refers to `item`, which is known only in the inputMapping of a step with forEach',
    ])
    expect(told([step('a', { concurrency: 2 })])).toEqual([
      'warning /chain/0/concurrency: `chain.concurrency` has an effect beside `forEach` only',
    ])
  })
})

describe('the names a path takes from the root', () => {
  it.each<[string, string[], boolean]>([
    ['$.a.b', ['a'], false],
    ["$['a']['b']", ['a'], false],
    ['$["a\\"b"]', ['a"b'], false],
    ["$['it\\'s']", ["it's"], false],
    ['$[\'say "x"\']', ['say "x"'], false],
    ['$', [], true],
    ['$[*]', [], true],
    ['$..a', [], true],
    ["$['a','b']", [], true],
    ['$.a[?@.b == $.c.d && $["e"]]', ['a', 'c', 'e'], false],
    ['$.a[?@.b == "$.c"]', ['a'], false],
    ['$.größe', ['größe'], false],
  ])('Q120: %s', (path, names, isOpen) => {
    expect(jsonPath.check(path)).toBeUndefined()
    expect(rootNames(path)).toEqual({ names, isOpen })
  })

  it('are found whatever they are', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(rootNames(`$[${JSON.stringify(name)}].x`).names).toEqual([name])
      }),
    )
  })
})
