import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Job, RunOf } from '../executor.ts'
import { createChannel } from './channel.ts'
import { createDeadlines } from './deadlines.ts'
import { callCapsule } from './executor.ts'
import type { Visitor } from './turns.ts'

describe('an answer that its caller cannot be told', () => {
  it('fails its own call, and the channel brings the next one', async () => {
    const stdin = new PassThrough()
    const stdout = new PassThrough()
    const noise: string[] = []
    const channel = createChannel({
      stdin,
      stdout,
      maxBytes: 1_000,
      onNotification() {},
      onRequest() {},
      onNoise: (text) => void noise.push(text),
      onTooLong() {},
    })
    const supervisor = {
      visit(visitor: Visitor) {
        visitor.begin({ channel, leave() {} })
        return () => {}
      },
    }
    const call = (conclude?: () => never) => callCapsule(supervisor, RUN, JOB, createDeadlines(), conclude)
    const first = call(() => {
      throw new RangeError('nested too deeply')
    })
    const second = call()
    stdout.write('{"jsonrpc":"2.0","id":1,"result":"a"}\n{"jsonrpc":"2.0","id":2,"result":"b"}\n')
    await expect(first).rejects.toThrow('nested too deeply')
    expect(await second).toMatchObject({ result: { ok: true, output: { stdout: { text: 'b' } } } })
    expect(noise).toEqual([])
  })
})

// As much of both as a call to a process that runs already looks at.
const RUN = { kind: 'capsule', toolName: 'sample' } as unknown as RunOf<'capsule'>
const JOB = {
  tool: { name: 'sample' },
  arguments: {},
  signal: new AbortController().signal,
  timeoutMs: 10_000,
  mostMs: 0,
  outputBytes: 1_000,
} as unknown as Job
