import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Kit, mentioning, newTag, openKit, until } from '../../../test/capsule-kit.ts'

let kit: Kit

beforeEach(() => {
  kit = openKit()
})
afterEach(async () => {
  await kit.close()
})

describe('the end of a capsule', () => {
  it('comes by command, at once for who calls, and with its whole tree', async () => {
    const capsule = kit.capsule(['ignore-term'])
    const tag = newTag()
    await kit.call(capsule, { do: 'fork', tag })
    const flying = kit.call(capsule, { do: 'never' })
    await until(() => kit.status().running === 1 && mentioning(tag).length > 0)
    const stopping = kit.capsules.stop('sample')
    expect(await flying).toMatchObject({ reason: 'crashed', message: '`sample` was stopped by command' })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({
      message: '`sample` was stopped by command. Start it again with `orla capsule start sample`',
    })
    expect(await stopping).toMatchObject({ state: 'STOPPED', pid: null })
    expect(mentioning(tag)).toEqual([])
    expect(await kit.capsules.restart('sample')).toMatchObject({ state: 'READY', starts: 2 })
  })

  it('comes when it is idle, and the next call starts it', async () => {
    const capsule = kit.capsule([], { idleTimeoutMs: 100 })
    expect(await kit.call(capsule, { do: 'wait', ms: 300 })).toMatchObject({ ok: true })
    await until(() => kit.status().state === 'CREATED')
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    expect(kit.status()).toMatchObject({ starts: 2, crashes: 0 })
  })

  it('comes when it is not held any more, after its calls', async () => {
    const old = kit.capsule()
    const next = kit.capsule([], { identity: 'next' })
    kit.capsules.hold([old])
    const pid = await kit.value(old, { do: 'pid' })
    const slow = kit.value(old, { do: 'wait', ms: 300, value: 'finished' })
    await until(() => kit.status().running === 1)
    kit.capsules.hold([next])
    expect(await kit.value(next, { do: 'pid' })).not.toBe(pid)
    expect(await slow).toBe('finished')
    await until(() => kit.capsules.list().length === 1)
    // One with an old catalog may still call it: it starts again, after its end.
    expect(await kit.value(old, { do: 'pid' })).not.toBe(pid)
    kit.capsules.hold([next])
    expect(kit.capsules.list()).toHaveLength(1)
  })

  it('does not come to one that stays the same', async () => {
    const capsule = kit.capsule()
    kit.capsules.hold([capsule])
    const pid = await kit.value(capsule, { do: 'pid' })
    kit.capsules.hold([{ ...capsule }])
    expect(await kit.value({ ...capsule }, { do: 'pid' })).toBe(pid)
  })

  it('refuses names nobody has', async () => {
    kit.capsules.hold([kit.capsule()])
    await expect(kit.capsules.start('smaple')).rejects.toMatchObject({
      code: 'E_NOT_FOUND',
      hint: 'did you mean `sample`?',
    })
  })
})
