import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Kit, openKit, until } from '../../../test/capsule-kit.ts'

let kit: Kit

beforeEach(() => {
  kit = openKit()
})
afterEach(async () => {
  await kit.close()
})

describe('the hello', () => {
  it('Q73: is waited for', async () => {
    const capsule = kit.capsule(['slow=300'])
    const call = kit.call(capsule, { do: 'text' })
    await until(() => kit.status().state === 'STARTING')
    expect(kit.status()).toMatchObject({ running: 0, waiting: 1 })
    expect(await call).toMatchObject({ ok: true })
  })

  it('Q73: that does not come in time is a failure that shows the last lines of stderr', async () => {
    const capsule = kit.capsule(['no-hello', 'say'], { startupTimeoutMs: 2_000, restart: { limit: 1 } })
    expect(await kit.call(capsule, {})).toMatchObject({
      ok: false,
      reason: 'crashed',
      message:
        '`sample` did not say hello (`orla.hello`) within 2 s. It wrote to stderr: first line\nsecond \\x1b[31mline. Start it again with `orla capsule start sample`',
    })
  })

  it.each([
    ['name=other', '`other` 1.0.0'],
    ['version=2.0.0', '`sample` 2.0.0'],
  ])('Q72: must agree with the manifest: %s', async (word, said) => {
    const capsule = kit.capsule([word], { restart: { limit: 1 } })
    expect(await kit.call(capsule, {})).toMatchObject({
      reason: 'crashed',
      message: expect.stringContaining(`said hello as ${said}, but its manifest says \`sample\` 1.0.0`),
    })
  })

  it('Q72: a second one is logged', async () => {
    const capsule = kit.capsule(['double'])
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    const words = 'protocol error: it said hello a second time, which is ignored'
    expect(kit.said('orla')).toContain(words)
    expect(kit.logged).toContainEqual(['warn', `capsule sample: ${words}`])
  })

  it('Q71: what comes before it is logged', async () => {
    const capsule = kit.capsule(['noise'])
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
    expect(kit.said('stdout')).toEqual([
      'Loading the model…',
      '{"half": ',
      'early: Orla does not know this notification',
    ])
  })
})
