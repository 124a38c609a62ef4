import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Kit, mentioning, newTag, openKit, until } from '../../../test/capsule-kit.ts'

let kit: Kit

beforeEach(() => {
  kit = openKit()
})
afterEach(async () => {
  await kit.close()
})

describe('a capsule that crashes', () => {
  it('Q80: fails the calls in flight at once, and is there again for the next', async () => {
    const capsule = kit.capsule()
    await kit.call(capsule, { do: 'text' })
    const flying = kit.call(capsule, { do: 'never' })
    expect(await kit.call(capsule, { do: 'crash', status: 7 })).toMatchObject({
      ok: false,
      reason: 'crashed',
      message: '`sample` exited with status 7; its last line on stderr: it broke',
    })
    expect(await flying).toMatchObject({ reason: 'crashed' })
    expect(await kit.call(capsule, { do: 'signal', signal: 'SIGSEGV' })).toMatchObject({
      reason: 'crashed',
      message: '`sample` was ended by SIGSEGV',
    })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    expect(kit.status()).toMatchObject({
      state: 'READY',
      crashes: 2,
      starts: 3,
      last_error: 'was ended by SIGSEGV',
    })
  })

  it('Q80: tells within 100 ms of the exit', async () => {
    const capsule = kit.capsule()
    const pid = Number(await kit.value(capsule, { do: 'pid' }))
    // Its child holds the streams open: nobody waits for that.
    const tag = newTag()
    await kit.call(capsule, { do: 'fork', tag })
    const flying = kit.call(capsule, { do: 'never' })
    await until(() => kit.status().running === 1)
    process.kill(pid, 'SIGKILL')
    const killed = performance.now()
    expect(await flying).toMatchObject({ reason: 'crashed', message: expect.stringContaining('SIGKILL') })
    expect(performance.now() - killed).toBeLessThan(1_000)
    await until(() => mentioning(tag).length === 0)
  })

  it('does not lose an answer given just before', async () => {
    const capsule = kit.capsule()
    for (let round = 0; round < 3; round++) {
      expect(await kit.call(capsule, { do: 'answer-and-exit' })).toMatchObject({
        ok: true,
        output: { stdout: { text: 'last' } },
      })
      await until(() => kit.status().starts === round + 2 && kit.status().state === 'READY')
    }
  })

  it('Q81: is started again later each time, although nobody waits', async () => {
    const starts = join(kit.folder, 'starts')
    const capsule = kit.capsule(['crash-at-start', `starts=${starts}`], {
      restart: { baseMs: 40, capMs: 100, limit: 5 },
      start: 'eager',
    })
    kit.capsules.hold([capsule])
    await until(() => kit.status().state === 'STOPPED')
    expect(readFileSync(starts, 'utf8').trim().split('\n')).toHaveLength(5)
    // Half of the way between half and all of it: `random` is 0.5 here.
    expect(kit.said('orla').filter((line) => line.startsWith('starting again'))).toEqual([
      'starting again in 30 ms',
      'starting again in 60 ms',
      'starting again in 75 ms',
      'starting again in 75 ms',
    ])
  })

  it('Q82: is left alone after the limit, says so, and starts by command', async () => {
    const capsule = kit.capsule([], { restart: { limit: 2, windowMs: 60_000 } })
    await kit.call(capsule, { do: 'crash', status: 1 })
    await kit.call(capsule, { do: 'crash', status: 2 })
    expect(kit.status()).toMatchObject({ state: 'STOPPED', crashes: 2 })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({
      ok: false,
      reason: 'crashed',
      message:
        '`sample` is stopped: it crashed 2 times within 60 s. Last error: it exited with status 2; its last line on stderr: it broke. Start it again with `orla capsule start sample`',
    })
    expect(await kit.capsules.start('sample')).toMatchObject({ state: 'READY', crashes: 0 })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
  })

  it('Q82: releases who waits when the limit is reached, or when they give up', async () => {
    const capsule = kit.capsule(['crash-at-start'], { restart: { limit: 3, baseMs: 200 } })
    const stop = new AbortController()
    const [first, second] = [
      kit.call(capsule, { do: 'text' }),
      kit.call(capsule, { do: 'text' }, { signal: stop.signal }),
    ]
    await until(() => kit.status().state === 'CRASHED')
    stop.abort()
    expect(await second).toMatchObject({ reason: 'cancelled' })
    expect(await first).toMatchObject({
      reason: 'crashed',
      message: expect.stringContaining(
        'crashed 3 times within 60 s. Last error: it exited with status 3; its last line on stderr: no such database',
      ),
    })
  })

  it('Q15: cannot start at all, and says why', async () => {
    const capsule = kit.script('gone.sh', { restart: { limit: 2 } })
    expect(await kit.call(capsule, {})).toMatchObject({
      reason: 'crashed',
      message: expect.stringMatching(/Last error: it cannot start: \/\S+\/gone\.sh is gone/),
    })
    await expect(kit.capsules.start('sample')).rejects.toThrow(/`sample` cannot start: \S+ is gone/)
  })

  it.each(['freeze', 'loop'])('Q76: is found when it hangs: %s', async (way) => {
    const capsule = kit.capsule([], { health: { intervalMs: 100, timeoutMs: 1_000 } })
    await kit.call(capsule, { do: 'text' })
    expect(await kit.call(capsule, { do: way })).toMatchObject({
      reason: 'crashed',
      message: '`sample` did not answer a ping within 1 s',
    })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    expect(kit.status()).toMatchObject({ crashes: 1, starts: 2 })
  })

  it('Q76: is alive as long as it answers, be it with an error', async () => {
    const capsule = kit.script('good.sh', { health: { intervalMs: 20, timeoutMs: 5_000 } })
    await kit.call(capsule, {})
    const before = Date.now()
    await until(() => Date.now() - before > 300)
    expect(kit.status()).toMatchObject({ state: 'READY', starts: 1, crashes: 0 })
  })
})
