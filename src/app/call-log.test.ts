import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import type { LogLevel, Measurement } from '../model/index.ts'
import { createLineBuffer, type LineBuffer, recordLine } from '../platform/index.ts'
import { callFields } from './call-fields.ts'
import { writeCallLine } from './call-line.ts'
import { createCallLog } from './call-log.ts'

const PLAIN: Measurement = {
  tool: 'hello',
  version: '1.0.0',
  ms: 3.214,
  queuedMs: 0,
  success: true,
  exitCode: 0,
  bytesIn: 2,
  bytesOut: 5,
  caller: { connection: 'c', requestId: 7, transport: 'stdio', era: 'legacy' },
}

const text = fc.oneof(anyText(), fc.string(), fc.constantFrom('warm', '1.0.0', ''))
const milliseconds = fc.oneof(
  fc.double({ min: 0, max: 1e5 }),
  fc.double(),
  fc.integer({ min: 0, max: 10_000 }).map((hundredth) => hundredth / 100),
)
const words = fc.array(fc.string(), { maxLength: 3 })
const measurement: fc.Arbitrary<Measurement> = fc.record(
  {
    tool: text,
    version: text,
    ms: milliseconds,
    queuedMs: milliseconds,
    success: fc.boolean(),
    reason: fc.constantFrom('exit', 'timeout', 'input', 'not_found'),
    message: text,
    exitCode: fc.option(fc.integer()),
    bytesIn: fc.nat(),
    bytesOut: fc.nat(),
    usage: fc.record({ cpuMs: milliseconds, maxRssBytes: fc.nat() }),
    caller: fc.record(
      {
        connection: fc.string(),
        requestId: fc.oneof(text, fc.integer(), fc.double()),
        transport: fc.constantFrom('http', 'stdio', 'cli'),
        era: fc.constantFrom('modern', 'legacy', 'none'),
        principal: text,
      },
      { requiredKeys: ['connection', 'requestId', 'transport', 'era'] },
    ),
    confinement: fc.record({
      backend: fc.constantFrom('bwrap', 'none'),
      enforced: words,
      unenforced: words,
      permissions: fc.option(words),
    }),
    implementation: text,
    passedOver: fc.array(fc.record({ implementation: text, message: text }), { maxLength: 2 }),
  },
  {
    requiredKeys: [
      'tool',
      'version',
      'ms',
      'queuedMs',
      'success',
      'exitCode',
      'bytesIn',
      'bytesOut',
      'caller',
    ],
  },
)

function textOf(make: (lines: LineBuffer) => void): string {
  const lines = createLineBuffer(16)
  make(lines)
  return taken(lines)
}

function taken(lines: LineBuffer): string {
  let text = ''
  lines.empty((bytes) => {
    text = Buffer.from(bytes).toString()
    return true
  })
  return text
}

const callLine = (call: Measurement, at: number) => textOf((lines) => writeCallLine(lines, call, at))
const time = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59Z') })

describe('the record of a call', () => {
  it('Q29: is what any other record with these fields would be, letter by letter', () => {
    fc.assert(
      fc.property(measurement, time, (call, at) => {
        const level = call.success ? 'info' : 'warn'
        const line = recordLine('json', new Date(at), level, 'call', callFields(call), false)
        // Once with what it keeps for the next time, once from it.
        for (const _ of [1, 2]) expect(callLine(call, at)).toBe(`${line}\n`.toWellFormed())
      }),
      { numRuns: 1_000 },
    )
  })

  it('a tool of the same name in another version is told apart', () => {
    const versions = ['1.0.0', '2.0.0', '1.0.0'].map((version) => callLine({ ...PLAIN, version }, 0))
    expect(versions.map((line) => JSON.parse(line).version)).toEqual(['1.0.0', '2.0.0', '1.0.0'])
  })

  function listen(format: 'json' | 'pretty', level: LogLevel = 'info') {
    const lines = createLineBuffer(16)
    let added = 0
    const settings = { format, level }
    const add = (make: (lines: LineBuffer) => void) => {
      added++
      make(lines)
    }
    const hear = createCallLog({ add, colours: false }, () => settings)
    const start = Date.parse('2026-01-02T03:04:05.999Z')
    const heard = (...calls: Measurement[]) =>
      hear(calls.map((call, index) => ({ measurement: call, at: start + index })))
    return { heard, settings, added: () => added, text: () => taken(lines) }
  }

  it('has the time at which the call ended; those of calls that are told together are added together', () => {
    const { heard, text, added } = listen('json')
    heard({ ...PLAIN, tool: 'one' }, { ...PLAIN, tool: 'two' })
    const records = text()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    expect(records.map(({ time: at, tool }) => [at, tool])).toEqual([
      ['2026-01-02T03:04:05.999Z', 'one'],
      ['2026-01-02T03:04:06.000Z', 'two'],
    ])
    expect(added()).toBe(1)
  })

  it('Q31: is left out below the chosen level; failures are warnings', () => {
    const failure: Measurement = { ...PLAIN, success: false, reason: 'exit', message: 'no\nway' }
    const { heard, text } = listen('json', 'warn')
    heard(PLAIN, failure)
    expect(JSON.parse(text())).toMatchObject({ level: 'warn', success: false, error: 'no\nway' })
    const silent = listen('json', 'error')
    silent.heard(PLAIN, failure)
    expect([silent.text(), silent.added()]).toEqual(['', 0])
  })

  it('is a line in the pretty format too', () => {
    const { heard, text } = listen('pretty')
    heard({ ...PLAIN, tool: 'a\nb' })
    expect(text().split('\n')).toHaveLength(2)
  })
})
