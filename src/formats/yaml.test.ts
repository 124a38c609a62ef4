import { describe, expect, it } from 'vitest'
import { CONFIG } from './config.ts'
import { anyObject, integer, list, object, required, text } from './shape.ts'
import { loadYaml } from './yaml.ts'

const read = await loadYaml()
const config = (source: string) => read(source, 'orla.yaml', CONFIG)

describe('reading YAML into a shape', () => {
  it('Q20, Q22: reads the five keys of RFC 1 with units', () => {
    const { value, problems } = config(
      'tools_dir: ./bin\nport: 9000\ntimeout: 5\nlog_format: pretty\nlog_level: debug\nlimits:\n  output: 1MiB\n',
    )
    expect(problems).toEqual([])
    expect(value).toEqual({
      tools_dir: './bin',
      port: 9000,
      timeout: 5000,
      log_format: 'pretty',
      log_level: 'debug',
      limits: { output: 1_048_576 },
    })
  })

  it('Q19: takes an empty file, comments alone and keys without values', () => {
    for (const source of ['', '# nothing\n', 'port:\nlimits:\n']) {
      expect(config(source)).toMatchObject({ value: {}, problems: [] })
    }
  })

  it('reports every problem with line, column, pointer and the nearest key', () => {
    const { problems } = config('prot: 1\nlimits:\n  concurrencyy: 2\n  output: many\nlog_level: inf\n')
    expect(problems.map(({ line, column, pointer }) => [line, column, pointer])).toEqual([
      [1, 1, '/prot'],
      [3, 3, '/limits/concurrencyy'],
      [4, 11, '/limits/output'],
      [5, 12, '/log_level'],
    ])
    expect(problems[0]).toMatchObject({ message: 'unknown key `prot`', hint: 'did you mean `port`?' })
    expect(problems[1]?.hint).toBe('did you mean `concurrency`?')
    expect(problems[2]?.message).toBe(
      '`limits.output` must be a size such as 1048576, 10MB or 256MiB, not "many"',
    )
    expect(problems[3]?.hint).toBe('did you mean info?')
  })

  it('says what to quote when a version reads as a number', () => {
    const shape = object('m', { version: required(text('v')), name: required(text('n')) })
    const { problems } = read('version: 1.10\n', 'tool.yaml', shape)
    expect(problems.map(({ message }) => message)).toEqual([
      '`version` must be text, but reads as a number',
      '`name` is missing',
    ])
    expect(problems[0]?.hint).toBe('put it in quotes: version: "1.10"')
  })

  it('finds values inside lists', () => {
    const shape = object('m', { ports: list('p', integer('n', { min: 1, max: 9 })) })
    expect(read('ports: [1, 2, x]\n', 'f', shape).problems[0]).toMatchObject({
      line: 1,
      column: 15,
      pointer: '/ports/2',
    })
  })

  it.each([
    ['a tab as indentation', 'limits:\n\toutput: 1\n', /tab/],
    ['a key twice', 'port: 1\nport: 2\n', /twice/],
    ['an alias bomb', bomb(), /alias/i],
    ['deep nesting', `a: ${'['.repeat(100)}${']'.repeat(100)}`, /nested/],
    ['a huge file', `# ${'x'.repeat(1_100_000)}`, /1 MiB/],
    ['no map', '- 1\n', /must be a map/],
    ['broken quotes', 'port: "8080\n', /./],
  ])('refuses %s', (_what, source, message) => {
    const { problems } = config(source)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems[0]?.message).toMatch(message)
    expect(problems[0]?.line).toBeGreaterThanOrEqual(1)
  })

  it.each([
    ['.inf as a number', 'a: .inf\n', '`.inf` is no number that JSON knows'],
    ['a list as a key', '? [1, 2]\n: 3\n', 'a key must be plain text'],
    ['a second document', 'port: 1\n---\nport: 2\n', 'a second document begins here; a file holds one'],
  ])('refuses %s', (_what, source, message) => {
    expect(config(source).problems.map((problem) => problem.message)).toEqual([message])
  })

  it.each([
    [
      'far too deep nesting',
      `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      'is nested deeper than 64 levels',
    ],
    ['far too many open brackets', '['.repeat(20_000), 'is nested deeper than 64 levels'],
  ])('refuses %s once and in words', (_what, source, message) => {
    expect(config(source).problems.map((problem) => problem.message)).toEqual([message])
  })

  it('tells what is wrong many times on a line only once', () => {
    const lines = config(`${']'.repeat(9)}\n${']'.repeat(9)}\n`).problems.map(({ line }) => line)
    expect(new Set(lines).size).toBe(lines.length)
  })

  it('never makes dates, sets or bytes of a text', () => {
    const { value } = read(
      '%YAML 1.1\n---\na: 2001-01-01\nb: !!set {x}\nc: !!binary aGk=\n',
      'f',
      anyObject('anything'),
    )
    expect(value).toEqual({ a: '2001-01-01', b: { x: null }, c: 'aGk=' })
  })

  it('says where a later problem stands', () => {
    const reading = config('# first\nlimits:\n  output: 1\n')
    expect(reading.problemAt(['limits', 'output'], { message: 'is odd', severity: 'warning' })).toEqual({
      file: 'orla.yaml',
      line: 3,
      column: 11,
      pointer: '/limits/output',
      message: '`limits.output` is odd',
      severity: 'warning',
    })
    expect(reading.problemAt(['nowhere'], { message: 'x' })).toMatchObject({ line: 2, column: 1 })
    expect(config('a: [').problemAt(['port'], { message: 'x' })).toMatchObject({ line: 1, column: 1 })
  })

  it('finds the second of equal steps in a path', () => {
    const shape = object('m', { m: list('o', list('i', integer('n', { min: 1, max: 9 }))) })
    expect(read('m:\n  - [1]\n  - [2, x]\n', 'f', shape).problems[0]).toMatchObject({ line: 3, column: 9 })
  })

  // Each of these took minutes when time grew with the square of the text.
  it.each([
    ['many keys', manyKeys(200_000)],
    ['many unknown keys', manyKeys(60_000).replace(/:/g, 'x:')],
    ['many syntax errors', ']'.repeat(100_000)],
    ['many braces', '{}'.repeat(50_000)],
    ['many aliases', manyAliases(100_000)],
    ['many open brackets', '['.repeat(200_000)],
    ['a deep sequence', '- '.repeat(100_000)],
  ])('answers soon on %s', { timeout: 20_000 }, (_what, source) => {
    expect(config(source).problems.length).toBeGreaterThan(0)
  })

  it('ignores a byte order mark', () => {
    expect(config('\uFEFFport: 1\n').value).toEqual({ port: 1 })
  })
})

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i}, `.repeat(9)}*l${i}]`)
  return `l0: &l0 [x]\n${levels.join('\n')}\n`
}

function manyKeys(length: number): string {
  let text = ''
  for (let i = 0; text.length < length; i++) text += `${i.toString(36)}:\n`
  return text
}

function manyAliases(length: number): string {
  let text = ''
  for (let i = 0; text.length < length; i++) text += `- &a${i} x\n- *a${i}\n`
  return text
}
