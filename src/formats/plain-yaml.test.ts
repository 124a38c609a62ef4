import { describe, expect, it } from 'vitest'
import { readPlainYaml } from './plain-yaml.ts'
import { anyObject, type Flaw, type Path, type Shape } from './shape.ts'
import { loadYaml } from './yaml.ts'

const library = await loadYaml()
const anything: Shape<unknown> = { ...anyObject('anything'), read: (value) => value }

const SCAFFOLD = `# yaml-language-server: $schema=.orla/tool.schema.json
name: worker
version: 0.1.0
keywords: [sample]
dependencies:
  - python>=3.8
permissions: []            # what it may touch: filesystem:read:./data, network:example.com, env:NAME
mcp:
  input_schema:
    properties:
      name: { type: string, description: Who to greet }
    required: [name]
runtime:
  startup_timeout_ms: 5000 # it must have said hello by then
  env: { PYTHONDONTWRITEBYTECODE: "1" }
`

/** Everything a reading can tell: the value, and of each path in it where it stands and how it is spelled. */
async function told(source: string, read = library): Promise<unknown> {
  const { value, problems, problemAt } = read(source, 'f', anything)
  if (problems.length > 0) return { problems }
  const places = pathsOf(value, []).flatMap((path) =>
    [false, true].map((onKey) => {
      // What an issue may carry beside what callers usually give.
      const more = { onKey, quote: (spelled: string) => spelled }
      const flaw: Flaw = { message: 'm', ...more }
      const { line, column, hint } = problemAt([...path], flaw)
      return [path, onKey, line, column, hint]
    }),
  )
  return { value: JSON.stringify(value), places }
}

function pathsOf(value: unknown, path: Path): Path[] {
  const below = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [
    path,
    [...path, 'missing'],
    ...below.flatMap(([key, inner]) => pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key])),
  ]
}

/** True when it was read here. */
async function compare(source: string): Promise<boolean> {
  if (readPlainYaml(source) === undefined) return false
  expect(await told(source, await loadYaml(source)), source).toEqual(await told(source))
  return true
}

describe('YAML that is read without the library', () => {
  it.each([
    'name: fs\nversion: 1.0.0\ndescription: Says hello\nentrypoint: run.sh\n',
    '# a comment\nregistries: [{name: bench, url: /some/where}, {name: b, url: "https://x.y/z"}] # another\n',
    'a:\n  b: 1\n  c:\n    - x\n    - y: 1\n      z: true\n\n    # between\n    - "quoted # text"\nd: \'\'\n',
    'a:\n- 1\n- two words, and:not\nb: https://example.com:8080/x#y\n',
    '# only\n\n  # comments\n',
    '',
    SCAFFOLD,
    'a: [ ]\nb: { }\nc: [[1, 2], {d: e}]\n',
    'a: 1\nb: Größe – „so“ 😀\n',
  ])('says the same: %j', async (source) => {
    expect(await compare(source)).toBe(true)
  })

  it.each([
    'a: &x 1\nb: *x\n',
    'a: |\n  text\n',
    'a: "\\u0041"\n',
    'a: one\n  two\n',
    'a: 1.10\n',
    'a:\n',
    'a: 1\na: 2\n',
    '- 1\n-\n',
    'a:\n\tb: 1\n',
    '\ufeffa: 1\n',
    '%YAML 1.1\n---\na: 1\n',
    `a: ${'['.repeat(20)}${']'.repeat(20)}\n`,
    `a: ${'x'.repeat(70_000)}\n`,
  ])('is not %.30j', (source) => {
    expect(readPlainYaml(source)).toBeUndefined()
  })

  it('is the same for whatever texts there are', async () => {
    const random = createRandom(20_260_101)
    let own = 0
    const rounds = 6_000
    for (let round = 0; round < rounds; round++) if (await compare(anyText(random))) own++
    expect(own).toBeGreaterThan(rounds / 20)
  })
})

type Random = (below: number) => number

function createRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

const WORDS = [
  'a',
  'b',
  'name',
  'x y',
  'x_y',
  '1',
  '007',
  '1.0',
  '1.0.0',
  '.5',
  '1e3',
  '0x1f',
  '0o17',
  '+1',
  '-1',
  '-',
  '--',
  'null',
  'Null',
  '~',
  'true',
  'True',
  'FALSE',
  'yes',
  'on',
  'no',
  '.inf',
  '.nan',
  '...',
  '---',
  './bin',
  '/x',
  '"q"',
  "'q'",
  '"a b: c"',
  '"a\\n"',
  "'it''s'",
  '"',
  "'",
  '""',
  "''",
  'a"b',
  "don't",
  'a: b',
  'a:b',
  'a:',
  ':a',
  '[1, b]',
  '[]',
  '{}',
  '{a: 1}',
  '{a: {b: c}}',
  '[a: b]',
  '{a}',
  '[a, ]',
  '[1,2]',
  '{a:1}',
  '[a b, "c, d"]',
  '[x#y]',
  '[x #y]',
  '{a: b:c, d: e}',
  '[',
  '{',
  ']',
  '}',
  'a [b]',
  'a, b',
  '[[1], [2, 3]]',
  '{a: 1, a: 2}',
  '#c',
  'a #c',
  'a#c',
  '"q" #c',
  '"q"#c',
  '[1] #c',
  '[1]#c',
  '&x a',
  '*x',
  '!t a',
  '|',
  '>',
  '|-',
  '@a',
  '`a`',
  '%a',
  'é',
  '😀',
  '\u2028',
  '\u00a0',
  '\t',
  'a\tb',
  '\r',
  '=',
  '<<',
  '<',
  '(a)',
  'a?b',
  '? a',
  '?a',
  '$a',
  'a\\b',
  '__proto__',
]
const KEYS = [
  'a',
  'b',
  'c',
  'key-1',
  '_x',
  'on',
  'null',
  'true',
  '__proto__',
  '"a"',
  '1',
  'a b',
  'é',
  'toString',
  '-a',
  '<<',
]
const AFTER = [': ', ': ', ': ', ': ', ':', ':  ', ' : ', ':\t', ': # c', ':#']

/** Lines that look like YAML, most of them, in heights that mostly fit. */
function anyText(random: Random): string {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T // it is not empty
  const lines: string[] = []
  let indent = 0
  const isCalm = random(3) > 0
  for (let line = random(9); line > 0; line--) {
    if (random(3) === 0) indent = Math.max(0, indent + pick([-2, -1, 1, 2, 2, -4]))
    const simple = ['a', 'b', '1', 'x y', '"q"', '[1, b]', '{a: b}', "'q'", '1.0.0', 'a #c']
    const word = isCalm ? pick(simple) : pick(WORDS)
    const key = isCalm ? pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']) : pick(KEYS)
    const after = isCalm ? ': ' : pick(AFTER)
    const form = random(10)
    const text =
      form < 5
        ? `${key}${after}${word}`
        : form < 7
          ? `${key}:`
          : form < 8
            ? `- ${word}`
            : form < 9
              ? `- ${key}${after}${word}`
              : pick(['', '# c', '   ', `-   ${word}`, word, '-', '  # c'])
    lines.push(`${' '.repeat(indent)}${text}`)
    if (text.endsWith(':') && random(4) > 0) indent += 2
  }
  return lines.join('\n') + pick(['\n', '', '\n\n', ' '])
}
