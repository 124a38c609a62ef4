import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import type { LogLevel, Measurement } from '../model/index.ts'
import { createLineBuffer, type LineBuffer, recordLine } from '../platform/index.ts'
import { callFields } from './call-fields.ts'
import { createCallLog } from './call-log.ts'
import { gatherCalls } from './ended-calls.ts'

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

function taken(lines: LineBuffer): string {
  let text = ''
  lines.empty((bytes) => {
    text = Buffer.from(bytes).toString()
    return true
  })
  return text
}

const JSON_INFO = { format: 'json', level: 'info' } as const

function gathered(told: readonly (readonly [Measurement, number])[]) {
  const calls = gatherCalls(1)
  for (const [call, at] of told) calls.add(call, at)
  return calls
}

const time = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59Z') })

describe('the record of a call', () => {
  it('Q29: is what any other record with these fields would be, letter by letter', () => {
    // One log for all: what it keeps of one call is there for the next.
    const lines = createLineBuffer(16)
    const log = createCallLog({ add: (make) => make(lines), colours: false }, () => JSON_INFO)
    fc.assert(
      fc.property(fc.array(fc.tuple(measurement, time), { minLength: 1, maxLength: 4 }), (told) => {
        const expected = told.map(([call, at]) => {
          const level = call.success ? 'info' : 'warn'
          return `${recordLine('json', new Date(at), level, 'call', callFields(call), false)}\n`.toWellFormed()
        })
        // Once with what it keeps for the next time, once from it.
        for (const _ of [1, 2]) {
          log(gathered(told))
          expect(taken(lines)).toBe(expected.join(''))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('Q29: is right for one tool whose numbers grow and shrink', () => {
    const lines = createLineBuffer(16)
    const log = createCallLog({ add: (make) => make(lines), colours: false }, () => JSON_INFO)
    const count = fc.oneof(
      fc.nat(1_000),
      fc.nat(2_000_000_000),
      fc.constantFrom(0, 9, 10, 99, 100, 1e9, 1e12),
    )
    const numbers = fc.record({ ms: milliseconds, queuedMs: milliseconds, bytesIn: count, bytesOut: count })
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 2 }), count, (all, requestId) => {
        const told = all.map((some) => ({ ...PLAIN, ...some, caller: { ...PLAIN.caller, requestId } }))
        log(gathered(told.map((call) => [call, 0])))
        const written = taken(lines).split('\n').slice(0, -1)
        const expected = told.map((call) =>
          recordLine('json', new Date(0), 'info', 'call', callFields(call), false),
        )
        expect(written).toEqual(expected)
      }),
    )
  })

  it('a tool of the same name in another version is told apart', () => {
    const { heard, text } = listen('json')
    heard(...['1.0.0', '2.0.0', '1.0.0'].map((version) => ({ ...PLAIN, version })))
    const records = text().split('\n').slice(0, -1)
    expect(records.map((line) => JSON.parse(line).version)).toEqual(['1.0.0', '2.0.0', '1.0.0'])
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
      hear(gathered(calls.map((call, index) => [call, start + index])))
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
