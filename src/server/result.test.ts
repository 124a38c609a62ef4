import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CallResult,
  type FailureReason,
  type JsonObject,
  NO_TEXT,
  type Output,
  type Streams,
  type Text,
} from '../model/index.ts'
import { toWireResult as toWritten, type WireResult } from './result.ts'

const text = (value: string): Text => ({ text: value, encoding: 'utf8', bytes: Buffer.byteLength(value) })
const base64 = (bytes: Buffer): Text => ({
  text: bytes.toString('base64'),
  encoding: 'base64',
  bytes: bytes.length,
})
const streams = (more: Partial<Streams> = {}): Streams & { kind: 'streams' } => ({
  kind: 'streams',
  stdout: NO_TEXT,
  stderr: NO_TEXT,
  exitCode: 0,
  signal: null,
  ...more,
})
const ok = (more: Partial<Streams>): CallResult => ({ ok: true, output: streams(more), ms: 1 })
const bad = (reason: FailureReason, more: Partial<Streams> = {}): CallResult => ({
  ok: false,
  reason,
  message: `failed by ${reason}`,
  output: streams({ exitCode: null, ...more }),
  ms: 1,
})
const toWireResult = (...args: Parameters<typeof toWritten>): WireResult => {
  const { result, json } = toWritten(...args)
  expect(json).toBe(JSON.stringify(result))
  return result
}
const LOOSE = {}
const TYPED = { outputSchema: { type: 'object' } }
const texts = (result: WireResult) => result.content.map(({ text }) => (typeof text === 'string' ? text : ''))
const size = (result: WireResult) => Buffer.byteLength(JSON.stringify(result))

describe('Q14: a result carries stdout, stderr and the exit code', () => {
  it('a quiet success is its stdout', () => {
    expect(toWireResult(ok({ stdout: text('hi\n') }), LOOSE)).toEqual({
      content: [{ type: 'text', text: 'hi\n' }],
      structuredContent: { stdout: 'hi\n', stderr: '', exit_code: 0 },
    })
  })

  it('printing nothing is an empty text', () => {
    expect(texts(toWireResult(ok({}), LOOSE))).toEqual([''])
  })

  it('a success may still have complained', () => {
    expect(texts(toWireResult(ok({ stdout: text('a'), stderr: text('b') }), LOOSE))).toEqual([
      'a',
      'stderr: b',
    ])
  })

  it('a non-zero exit is an error with all three blocks', () => {
    const result = toWireResult(bad('exit', { stdout: text('a'), stderr: text('b'), exitCode: 3 }), LOOSE)
    expect(result).toEqual({
      content: ['a', 'stderr: b', 'exit_code: 3'].map((line) => ({ type: 'text', text: line })),
      structuredContent: { stdout: 'a', stderr: 'b', exit_code: 3 },
      isError: true,
      _meta: { 'orla/reason': 'exit' },
    })
  })

  it('a death by signal names the signal', () => {
    const result = toWireResult(bad('exit', { exitCode: null, signal: 'SIGSEGV' }), LOOSE)
    expect(texts(result)).toEqual(['', 'signal: SIGSEGV'])
    expect(result.structuredContent).toEqual({ stdout: '', stderr: '', exit_code: null, signal: 'SIGSEGV' })
  })

  it.each(['input', 'spawn', 'timeout', 'cancelled', 'output', 'limit', 'crashed'] as const)(
    'Q15: %s says what happened first, then what was printed',
    (reason) => {
      const result = toWireResult(bad(reason, { stdout: text('so far') }), LOOSE)
      expect(texts(result)).toEqual([`failed by ${reason}`, 'so far'])
      expect(result).toMatchObject({ isError: true, _meta: { 'orla/reason': reason } })
      expect(texts(toWireResult(bad(reason), LOOSE))).toEqual([`failed by ${reason}`])
    },
  )

  it('a call that never ran has a message and nothing else', () => {
    const result = toWireResult({ ...bad('input'), output: { kind: 'none' } }, LOOSE)
    expect(result).toEqual({
      content: [{ type: 'text', text: 'failed by input' }],
      isError: true,
      _meta: { 'orla/reason': 'input' },
    })
  })

  it('bytes that are not UTF-8 travel as base64, with a note', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe])
    const result = toWireResult(ok({ stdout: base64(bytes), stderr: base64(bytes) }), LOOSE)
    expect(texts(result)).toEqual([
      'stdout is not UTF-8: 3 bytes, base64\n/wD+',
      'stderr is not UTF-8: 3 bytes, base64\n/wD+',
    ])
    expect(result.structuredContent).toEqual({
      stdout: '/wD+',
      stderr: '/wD+',
      exit_code: 0,
      stdout_encoding: 'base64',
      stderr_encoding: 'base64',
    })
  })
})

describe('Q42: a tool with an output schema', () => {
  const value = (json: object, stderr = NO_TEXT): CallResult => ({
    ok: true,
    output: { kind: 'value', value: { ...json }, stderr },
    ms: 1,
  })

  it('gives its value, with a text mirror and its complaints', () => {
    const result = toWireResult(value({ x: 1 }, text('careful')), TYPED)
    expect(result).toEqual({
      content: ['{"x":1}', 'stderr: careful'].map((line) => ({ type: 'text', text: line })),
      structuredContent: { x: 1 },
    })
  })

  it('has no structured content when it fails: clients would hold it against the schema', () => {
    for (const reason of ['exit', 'output', 'timeout'] as const) {
      const result = toWireResult(bad(reason, { stdout: text('{}'), stderr: text('why') }), TYPED)
      expect(result).not.toHaveProperty('structuredContent')
      expect(texts(result)).toContain('stderr: why')
    }
  })

  it('keeps its promise when there is too much for one message: the mirror goes', () => {
    const result = toWireResult(value({ x: 'x'.repeat(6_000) }), TYPED, 10_000)
    expect(result.structuredContent).toEqual({ x: 'x'.repeat(6_000) })
    expect(texts(result)).toEqual([expect.stringContaining('left out')])
    expect(size(result)).toBeLessThan(10_000)
  })

  it('fails by limit when not even the value fits', () => {
    const result = toWireResult(value({ x: 'x'.repeat(20_000) }, text('careful')), TYPED, 10_000)
    expect(result).toMatchObject({ isError: true, _meta: { 'orla/reason': 'limit' } })
    expect(result).not.toHaveProperty('structuredContent')
    expect(texts(result)).toEqual([expect.stringContaining('20008 bytes'), 'stderr: careful'])
  })
})

describe('a result in the shape of the protocol', () => {
  const image: JsonObject = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
  type Content = Extract<Output, { kind: 'content' }>
  const content = (more: Partial<Content> = {}): Content => ({
    kind: 'content',
    content: [{ type: 'text', text: 'hi' }, image],
    ...more,
  })
  const given = (more: Partial<Content> = {}): CallResult => ({ ok: true, ms: 1, output: content(more) })
  const refused = (reason: FailureReason, more: Partial<Content> = {}): CallResult => ({
    ok: false,
    reason,
    message: 'it ended',
    ms: 1,
    output: content(more),
  })

  it('is passed on as it was given', () => {
    expect(toWireResult(given({ structured: { x: 1 }, meta: { 'a/b': 1 } }), TYPED)).toEqual({
      content: [{ type: 'text', text: 'hi' }, image],
      structuredContent: { x: 1 },
      _meta: { 'a/b': 1 },
    })
    expect(toWireResult(given(), LOOSE)).toEqual({ content: [{ type: 'text', text: 'hi' }, image] })
  })

  it('does not speak for the server', () => {
    const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'other', version: '1' } }
    expect(toWireResult(given({ meta }), LOOSE)).not.toHaveProperty('_meta')
  })

  it('of a tool that failed is an error with its own words', () => {
    expect(toWireResult(refused('exit', { meta: { 'a/b': 1 } }), LOOSE)).toEqual({
      content: [{ type: 'text', text: 'hi' }, image],
      isError: true,
      _meta: { 'a/b': 1, 'orla/reason': 'exit' },
    })
    expect(texts(toWireResult(refused('exit', { content: [] }), LOOSE))).toEqual(['it ended'])
  })

  it('of a call that was cut short says so first', () => {
    const result = toWireResult(refused('crashed', { content: [{ type: 'text', text: 'so far' }] }), LOOSE)
    expect(texts(result)).toEqual(['it ended', 'so far'])
    expect(result).toMatchObject({ isError: true, _meta: { 'orla/reason': 'crashed' } })
  })

  it('has no structured content when it fails and a schema was promised', () => {
    expect(toWireResult(refused('exit', { structured: {} }), TYPED)).not.toHaveProperty('structuredContent')
    expect(toWireResult(refused('exit', { structured: {} }), LOOSE)).toHaveProperty('structuredContent')
  })

  it('keeps its promise when there is too much: the mirror goes', () => {
    const long = [{ type: 'text', text: 'x'.repeat(6_000) }]
    const result = toWireResult(given({ content: long, structured: { x: 'x'.repeat(6_000) } }), TYPED, 10_000)
    expect(result.structuredContent).toEqual({ x: 'x'.repeat(6_000) })
    expect(texts(result)).toEqual([expect.stringContaining('left out')])
    const all = toWireResult(given({ content: long, structured: { x: 'x'.repeat(20_000) } }), TYPED, 10_000)
    expect(all).toMatchObject({ isError: true, _meta: { 'orla/reason': 'limit' } })
    expect(texts(all)[0]).toContain('20008 bytes')
  })

  it('without a promise has as much of its content as fits', () => {
    const blocks = [image, { type: 'text', text: 'é'.repeat(20_000) }, image]
    const result = toWireResult(given({ content: blocks, structured: { x: 1 } }), LOOSE, 10_000)
    expect(result).not.toHaveProperty('structuredContent')
    expect(result.content).toEqual([
      image,
      { type: 'text', text: expect.stringMatching(/^é{4000,}$/) },
      { type: 'text', text: expect.stringContaining('left out') },
    ])
    expect(size(result)).toBeLessThanOrEqual(10_000)
    const huge = { ...image, data: 'A'.repeat(40_000) }
    expect(toWireResult(given({ content: [huge] }), LOOSE, 10_000).content).toEqual([
      { type: 'text', text: expect.stringContaining('left out') },
    ])
  })
})

describe('one message has a limit', () => {
  it('structured content that repeats the text goes first', () => {
    const result = toWireResult(ok({ stdout: text('x'.repeat(6_000)) }), LOOSE, 10_000)
    expect(result).not.toHaveProperty('structuredContent')
    expect(texts(result)).toEqual(['x'.repeat(6_000), expect.stringContaining('repeats the text')])
  })

  it('then text is cut, and says so', () => {
    const result = toWireResult(
      bad('exit', { stdout: text('x'.repeat(60_000)), stderr: text('y'.repeat(50_000)), exitCode: 1 }),
      LOOSE,
      10_000,
    )
    const [stdout = '', stderr = '', ending, , note, otherNote] = texts(result)
    expect(stdout).toMatch(/^x{7000,}$/)
    expect(stderr).toMatch(/^stderr: y{1000,}$/)
    expect(ending).toBe('exit_code: 1')
    expect(note).toContain(`stdout was cut: the first ${stdout.length} of 60000 bytes`)
    expect(otherNote).toContain('stderr was cut')
    expect(size(result)).toBeLessThanOrEqual(10_000)
  })

  it('stderr has all the room that stdout leaves', () => {
    const result = toWireResult(ok({ stdout: text('hi'), stderr: text('y'.repeat(50_000)) }), LOOSE, 10_000)
    expect(texts(result)[0]).toBe('hi')
    expect(texts(result)[1]?.length).toBeGreaterThan(8_500)
  })

  it('base64 is cut where it can still be read', () => {
    const bytes = Buffer.alloc(30_000, 0xff)
    const result = toWireResult(ok({ stdout: base64(bytes) }), LOOSE, 10_000)
    const encoded = texts(result)[0]?.split('\n')[1] ?? ''
    expect(encoded.length % 4).toBe(0)
    expect(texts(result).at(-1)).toContain(
      `the first ${Buffer.from(encoded, 'base64').length} of 30000 bytes`,
    )
  })

  it('whatever is printed, the result fits and never splits a character', () => {
    const unit = fc.constantFrom('a', '"', '\n', '\0', 'é', '€', '😀', '\ud800', '\\')
    const output = fc.string({ unit, maxLength: 4_000 })
    fc.assert(
      fc.property(output, output, fc.boolean(), (stdout, stderr, failing) => {
        const printed = { stdout: text(stdout), stderr: text(stderr), exitCode: failing ? 1 : 0 }
        const result = toWireResult(failing ? bad('exit', printed) : ok(printed), LOOSE, 3_000)
        expect(size(result)).toBeLessThanOrEqual(3_000)
        const shown = texts(result)[0] ?? ''
        expect(stdout.startsWith(shown)).toBe(true)
        expect(shown.length < stdout.length && /[\ud83d]$/.test(shown)).toBe(false)
      }),
    )
  })

  it('a message of ten megabytes at the real limit stays below 8 MB', () => {
    const result = toWireResult(ok({ stdout: text('"\n'.repeat(5 * 1024 * 1024)) }), LOOSE)
    expect(size(result)).toBeLessThan(8_000_000)
    expect(size(result)).toBeGreaterThan(7_800_000)
  })
})

it('says of a result that nests without end that it cannot be written', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const outputs: Output[] = [
    { kind: 'value', value: deep, stderr: NO_TEXT },
    { kind: 'content', content: [{ type: 'text', text: 'x' }], structured: { deep } },
    { kind: 'content', content: [{ type: 'text', text: 'x', _meta: { deep } }] },
  ]
  for (const output of outputs)
    expect(toWritten({ ok: true, output, ms: 1 }, undefined).result).toMatchObject({
      content: [{ type: 'text', text: 'The result nests too deeply to be written as JSON' }],
      isError: true,
    })
})
