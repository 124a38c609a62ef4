import { expect, it } from 'vitest'
import type { Confinement, Measurement } from '../model/index.ts'
import { BYTES_OUT, EXIT_CODE, gatherCalls, MS, NUMBERS, REQUEST_ID } from './ended-calls.ts'

const PLAIN: Measurement = {
  tool: 'hello',
  version: '1.0.0',
  ms: 3.5,
  queuedMs: 0,
  success: true,
  exitCode: null,
  bytesIn: 2,
  bytesOut: 5,
  caller: { connection: 'c', requestId: 7, transport: 'stdio', era: 'legacy' },
}
const HELD: Confinement = { backend: 'none', enforced: [], unenforced: [], permissions: null }

function kindsOf(...measurements: Measurement[]) {
  const calls = gatherCalls(1)
  for (const measurement of measurements) calls.add(measurement, 0)
  return measurements.map((_, index) => calls.kind(index))
}

it('calls that come the same way are of one kind, in whatever order they come', () => {
  const other: Measurement = { ...PLAIN, tool: 'other' }
  const [first, between, again] = kindsOf(PLAIN, other, { ...PLAIN, ms: 9 })
  expect(again).toBe(first)
  expect(between).not.toBe(first)
  expect(between).toMatchObject({ tool: 'other', version: '1.0.0', transport: 'stdio', hasUsage: false })
})

it('whatever else a record says tells kinds apart', () => {
  const { caller } = PLAIN
  const different: Measurement[] = [
    PLAIN,
    { ...PLAIN, version: '2.0.0' },
    { ...PLAIN, confinement: HELD },
    { ...PLAIN, usage: { cpuMs: 1, maxRssBytes: 1 } },
    { ...PLAIN, caller: { ...caller, transport: 'http' } },
    { ...PLAIN, caller: { ...caller, era: 'modern' } },
    { ...PLAIN, caller: { ...caller, principal: 'ada' } },
  ]
  expect(new Set(kindsOf(...different, ...different)).size).toBe(different.length)
})

it('one that failed, or had several ways, is of no kind', () => {
  const strange: Measurement[] = [
    { ...PLAIN, success: false, reason: 'exit' },
    { ...PLAIN, implementation: 'local' },
    { ...PLAIN, passedOver: [] },
  ]
  expect(kindsOf(...strange)).toEqual([undefined, undefined, undefined])
})

it('as many tools and callers as anyone likes are told right', () => {
  const calls = gatherCalls(1)
  const named = (index: number): Measurement => ({
    ...PLAIN,
    tool: `tool-${index % 1_500}`,
    caller: { ...PLAIN.caller, principal: `p${index % 37}` },
  })
  for (let index = 0; index < 5_000; index++) calls.add(named(index), index)
  for (let index = 0; index < 5_000; index++) {
    const { tool, caller } = named(index)
    expect(calls.kind(index)).toMatchObject({ tool, principal: caller.principal })
  }
})

it('has the numbers of each, and begins anew', () => {
  const calls = gatherCalls(1)
  const row = (index: number) => calls.numbers().subarray(index * NUMBERS, (index + 1) * NUMBERS)
  calls.add({ ...PLAIN, exitCode: 3 }, 0)
  calls.add({ ...PLAIN, ms: 4, caller: { ...PLAIN.caller, requestId: 'a' } }, 0)
  expect([row(0)[MS], row(0)[EXIT_CODE], row(0)[REQUEST_ID], row(0)[BYTES_OUT]]).toEqual([3.5, 3, 7, 5])
  expect([row(1)[MS], row(1)[EXIT_CODE], row(1)[REQUEST_ID]]).toEqual([4, Number.NaN, Number.NaN])
  expect(calls.clear()).toEqual([])
  expect(calls.count()).toBe(0)
  expect(() => calls.measurement(0)).toThrow(RangeError)
})
