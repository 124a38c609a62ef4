import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call, CallResult, Measurement } from '../model/index.ts'
import { afterwards, countCalls } from './calls.ts'
import { AT, type EndedCalls, NUMBERS } from './ended-calls.ts'

describe('what is told of calls', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000 }))
  afterEach(() => void vi.useRealTimers())

  it('is told soon after they ended, with the time at which each did', () => {
    const told: [string, number][] = []
    const { hear } = afterwards((calls) => {
      calls.each((index) => {
        told.push([calls.measurement(index).tool, calls.numbers()[index * NUMBERS + AT] ?? 0])
      })
    }, unexpected)
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
    const told: string[] = []
    const { hear, flush } = afterwards((calls) => void told.push(...toolsOf(calls)), unexpected)
    for (let call = 0; call < 2_000; call++) hear(measured('busy'))
    vi.advanceTimersByTime(1)
    expect(told).toHaveLength(2_000)
    hear(measured('last'))
    flush()
    expect(told).toHaveLength(2_001)
    vi.advanceTimersByTime(100)
    expect(told).toHaveLength(2_001)
  })

  it('one that cannot be told keeps no other from being told, and what went wrong is heard of', () => {
    const told: string[] = []
    const problems: unknown[] = []
    const bad = new Error('bad')
    const { hear, flush } = afterwards(
      (calls) => {
        calls.each((index) => {
          const { tool } = calls.measurement(index)
          if (tool === 'bad') throw bad
          told.push(tool)
        })
      },
      (error) => {
        problems.push(error)
        // Who logs it has everything told that came before.
        flush()
      },
    )
    for (const tool of ['one', 'bad', 'two', 'bad', 'three']) hear(measured(tool))
    vi.advanceTimersByTime(10)
    expect(told).toEqual(['one', 'two', 'three'])
    expect(problems).toEqual([bad, bad])
  })

  it('goes on when the one who is told fails altogether, or asks to be told meanwhile', () => {
    const told: string[][] = []
    const problems: unknown[] = []
    const { hear, flush } = afterwards(
      (calls) => {
        flush()
        told.push(toolsOf(calls))
        if (told.length === 1) throw new Error('full')
      },
      (error) => problems.push(error),
    )
    hear(measured('one'))
    flush()
    hear(measured('two'))
    flush()
    expect(told).toEqual([['one'], ['two']])
    expect(problems).toHaveLength(1)
  })
})

function toolsOf(calls: EndedCalls): string[] {
  const tools: string[] = []
  calls.each((index) => void tools.push(calls.measurement(index).tool))
  return tools
}

function unexpected(error: unknown): never {
  throw error
}

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
