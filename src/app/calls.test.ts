import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call, CallResult, Measurement } from '../model/index.ts'
import { afterwards, countCalls, type EndedCall } from './calls.ts'

describe('what is told of calls', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000 }))
  afterEach(() => void vi.useRealTimers())

  it('is told soon after they ended, with the time at which each did', () => {
    const told: [string, number][] = []
    const { hear } = afterwards((calls) => {
      for (const { measurement, at } of calls) told.push([measurement.tool, at])
    })
    hear(measured('first'))
    vi.advanceTimersByTime(4)
    hear(measured('second'))
    expect(told).toEqual([])
    vi.advanceTimersByTime(10)
    expect(told).toEqual([
      ['first', 1_000],
      ['second', 1_004],
    ])
    hear(measured('third'))
    vi.advanceTimersByTime(10)
    expect(told).toHaveLength(3)
  })

  it('is told at once when there are many, and when asked', () => {
    const told: EndedCall[] = []
    const { hear, flush } = afterwards((calls) => void told.push(...calls))
    for (let call = 0; call < 100; call++) hear(measured('busy'))
    vi.advanceTimersByTime(1)
    expect(told).toHaveLength(100)
    hear(measured('last'))
    flush()
    expect(told).toHaveLength(101)
    vi.advanceTimersByTime(100)
    expect(told).toHaveLength(101)
  })
})

describe('calls without an answer', () => {
  it('are counted until they have one, or fail', async () => {
    const calls = countCalls()
    const ends: { answer: (result: CallResult) => void; fail: (error: Error) => void }[] = []
    const callTool = calls.count(() => new Promise((answer, fail) => ends.push({ answer, fail })))
    // Nobody looks at what is asked for.
    const both = [callTool({} as Call), callTool({} as Call)]
    expect(calls.running()).toBe(2)
    ends[0]?.answer({ ok: true, output: { kind: 'none' }, ms: 1 })
    ends[1]?.fail(new Error('no'))
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(calls.running()).toBe(0)
  })
})

function measured(tool: string): Measurement {
  return {
    tool,
    version: '1.0.0',
    ms: 1,
    queuedMs: 0,
    success: true,
    exitCode: null,
    bytesIn: 0,
    bytesOut: 0,
    caller: { connection: 'one', requestId: 1, transport: 'stdio', era: 'legacy' },
  }
}
