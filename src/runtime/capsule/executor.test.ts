import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Kit, openKit, until } from '../../../test/capsule-kit.ts'
import type { Json } from '../../model/index.ts'

let kit: Kit

beforeEach(() => {
  kit = openKit()
})
afterEach(async () => {
  await kit.close()
})

describe('a capsule that behaves', () => {
  it.each(['good.sh', 'good.py'])('Q69 Q70: starts with the first call and stays: %s', async (file) => {
    const capsule = kit.script(file)
    kit.capsules.hold([capsule])
    expect(kit.status()).toMatchObject({ state: 'CREATED', pid: null, starts: 0 })
    for (let call = 0; call < 3; call++)
      expect(await kit.call(capsule, { n: call })).toMatchObject({ ok: true })
    expect(kit.status()).toMatchObject({ state: 'READY', starts: 1, calls: 3, running: 0, waiting: 0 })
  })

  it('Q71: what cannot be sent to it fails its own call and keeps no place', async () => {
    const capsule = kit.capsule([], { maxConcurrency: 1 })
    let deep: Json = 1
    for (let level = 0; level < 50_000; level++) deep = [deep]
    // At once, after a start, and from the line of those who wait.
    const calls = [{ deep }, { deep }, { do: 'text' }, { deep }].map((args) => kit.call(capsule, args))
    const message = expect.stringContaining('the arguments of `sample` cannot be sent')
    const refused = { ok: false, reason: 'input', message }
    expect(await Promise.all(calls)).toMatchObject([refused, refused, { ok: true }, refused])
    expect(await kit.call(capsule, { deep })).toMatchObject(refused)
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    expect(kit.status()).toMatchObject({ state: 'READY', starts: 1, running: 0, waiting: 0 })
  })

  it('Q70: runs in its root with its environment', async () => {
    const capsule = kit.capsule([], {
      command: { env: { COLOUR: 'blue' }, passEnv: ['PATH'], cwd: kit.folder },
    })
    expect(await kit.value(capsule, { do: 'where' })).toEqual({
      cwd: kit.folder,
      colour: 'blue',
      secret: null,
    })
  })

  it('returns texts, values and results in the shape of the protocol', async () => {
    const capsule = kit.capsule()
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({
      ok: true,
      output: { kind: 'streams', stdout: { text: 'plain text', bytes: 10 }, exitCode: 0 },
    })
    expect(await kit.call(capsule, { do: 'echo', x: [1] })).toMatchObject({
      ok: true,
      output: { kind: 'value', value: { name: 'inner', given: { do: 'echo', x: [1] } } },
    })
    expect(await kit.call(capsule, { do: 'mcp' })).toMatchObject({
      ok: true,
      output: {
        kind: 'content',
        content: [{ type: 'text', text: 'hi' }],
        structured: { n: 1 },
        meta: { a: 1 },
      },
    })
    expect(await kit.call(capsule, { do: 'mcp-error' })).toMatchObject({
      ok: false,
      reason: 'exit',
      message: '`sample` reported an error',
      output: { kind: 'content', content: [{ text: 'no luck' }] },
    })
    expect(await kit.call(capsule, { do: 'unknown' })).toMatchObject({
      ok: false,
      reason: 'exit',
      message: '`sample` failed: cannot do unknown',
    })
  })

  it('is checked against its output schema', async () => {
    const capsule = kit.capsule()
    const wants = (type: string) => ({
      type: 'object',
      properties: { n: { type } },
      required: ['n'],
    })
    expect(await kit.call(capsule, { do: 'mcp' }, { outputSchema: wants('number') })).toMatchObject({
      ok: true,
      output: { kind: 'content', structured: { n: 1 } },
    })
    expect(await kit.call(capsule, { do: 'mcp' }, { outputSchema: wants('string') })).toMatchObject({
      ok: false,
      reason: 'output',
    })
    expect(await kit.call(capsule, { do: 'mcp-error' }, { outputSchema: wants('number') })).toMatchObject({
      reason: 'exit',
    })
    expect(await kit.call(capsule, { do: 'text' }, { outputSchema: wants('number') })).toMatchObject({
      reason: 'output',
    })
  })

  it('answers in any order', async () => {
    const capsule = kit.capsule()
    const order: number[] = []
    const slow = kit
      .value(capsule, { do: 'wait', ms: 300, value: 1 })
      .then((value) => order.push(Number(value)))
    const fast = kit
      .value(capsule, { do: 'wait', ms: 1, value: 2 })
      .then((value) => order.push(Number(value)))
    await Promise.all([slow, fast])
    expect(order).toEqual([2, 1])
  })

  it('reports progress to who asked for it, and only then', async () => {
    const capsule = kit.capsule()
    const steps: unknown[] = []
    await kit.call(capsule, { do: 'progress' }, { progress: (step) => steps.push(step) })
    expect(steps).toEqual([
      { progress: 1, total: 2, message: 'half' },
      { progress: 2, total: 2 },
    ])
    expect(await kit.value(capsule, { do: 'progress' })).toEqual({ progressToken: null })
  })

  it('may answer twice, or for nobody: that is logged and dropped', async () => {
    const capsule = kit.capsule()
    expect(await kit.call(capsule, { do: 'twice' })).toMatchObject({ output: { stdout: { text: 'first' } } })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    expect(kit.said('stdout').filter((line) => line.startsWith('nobody waits'))).toHaveLength(2)
  })

  it('Q71: keeps stderr as it is written, bounded', async () => {
    const capsule = kit.capsule()
    await kit.call(capsule, { do: 'flood', lines: 5000 })
    await until(() => kit.said('stderr').at(-1)?.startsWith('line 4999 ') === true)
    const lines = kit.capsules.logs('sample')
    expect(lines.length).toBeLessThanOrEqual(200)
    expect(lines.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(64 * 1024)
    expect(kit.logged).toContainEqual(['debug', expect.stringContaining('line 4999 ')])
  })

  it('has answers up to the cap; a longer one fails its call and nothing else', async () => {
    const capsule = kit.capsule()
    const bytes = kit.outputBytes
    expect(await kit.call(capsule, { do: 'huge', bytes: bytes - 100 })).toMatchObject({ ok: true })
    for (const way of ['huge', 'huge-last']) {
      expect(await kit.call(capsule, { do: way, bytes })).toMatchObject({
        ok: false,
        reason: 'limit',
        message: expect.stringContaining('more than the 1 MiB it may'),
      })
    }
    expect(kit.status()).toMatchObject({ state: 'READY', starts: 1 })
    expect(await kit.call(capsule, { do: 'huge-lost', bytes })).toMatchObject({
      ok: false,
      reason: 'crashed',
      message: expect.stringContaining('sent a message of 1 MiB'),
    })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
  })

  it('serves no more calls at once than it may, in the order they came', async () => {
    const capsule = kit.capsule([], { maxConcurrency: 2 })
    const order: unknown[] = []
    const calls = [1, 2, 3, 4, 5].map((value) =>
      kit.value(capsule, { do: 'wait', ms: 50, value }).then((got) => order.push(got)),
    )
    await until(() => kit.status().running === 2)
    expect(kit.status()).toMatchObject({ running: 2, waiting: 3 })
    const stop = new AbortController()
    const waiting = kit.call(capsule, { do: 'text' }, { signal: stop.signal })
    stop.abort()
    expect(await waiting).toMatchObject({ ok: false, reason: 'cancelled' })
    await Promise.all(calls)
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  it('is told when a call is cancelled or takes too long, and its place is free again', async () => {
    const capsule = kit.capsule([], { maxConcurrency: 1 })
    await kit.call(capsule, { do: 'text' })
    const stop = new AbortController()
    const call = kit.call(capsule, { do: 'wait', ms: 60_000 }, { signal: stop.signal })
    await until(() => kit.status().running === 1)
    stop.abort()
    expect(await call).toMatchObject({ ok: false, reason: 'cancelled', message: '`sample` was cancelled' })
    const late = kit.call(capsule, { do: 'wait', ms: 60_000 }, { timeoutMs: 100 })
    expect(await late).toMatchObject({
      ok: false,
      reason: 'timeout',
      message: '`sample` did not answer within 100 ms',
    })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    expect(kit.said('stderr')).toEqual([
      'cancelled: the caller cancelled the call',
      'cancelled: the call took longer than 100 ms',
    ])
  })
})
