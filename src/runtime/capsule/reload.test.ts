import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Kit, openKit, until } from '../../../test/capsule-kit.ts'
import type { Capsule } from '../../model/index.ts'

let kit: Kit
let capsule: Capsule

beforeEach(() => {
  kit = openKit()
  mkdirSync(join(kit.folder, 'src/deep'), { recursive: true })
  writeFileSync(join(kit.folder, 'src/deep/one.txt'), 'one')
  const hotLoad = { paths: [join(kit.folder, 'src'), join(kit.folder, 'settings.json')], debounceMs: 100 }
  capsule = kit.capsule([], { hotLoad })
})
afterEach(async () => {
  await kit.close()
})

describe('a change of a watched file', () => {
  it('Q77 Q79: replaces the process', async () => {
    const pid = await kit.value(capsule, { do: 'pid' })
    writeFileSync(join(kit.folder, 'src/deep/one.txt'), 'two')
    await reloaded(2)
    expect(await kit.value(capsule, { do: 'pid' })).not.toBe(pid)
    expect(kit.said('orla')).toContain(`reloading because ${join(kit.folder, 'src/deep/one.txt')} changed`)
    expect(kit.status()).toMatchObject({ crashes: 0, last_error: null })
  })

  it('Q77: is noticed in new folders, in files that come later, and when an editor replaces the file', async () => {
    await kit.call(capsule, { do: 'text' })
    mkdirSync(join(kit.folder, 'src/new'))
    writeFileSync(join(kit.folder, 'src/new/two.txt'), 'x')
    await reloaded(2)
    writeFileSync(join(kit.folder, 'src/new/two.txt'), 'changed')
    await reloaded(3)
    writeFileSync(join(kit.folder, 'settings.json'), '{}')
    await reloaded(4)
    writeFileSync(join(kit.folder, 'settings.json.new'), '{}')
    renameSync(join(kit.folder, 'settings.json.new'), join(kit.folder, 'settings.json'))
    await reloaded(5)
  })

  it('Q78: a burst of a thousand is one', async () => {
    await kit.call(capsule, { do: 'text' })
    for (let index = 0; index < 1000; index++) {
      writeFileSync(join(kit.folder, 'src/deep', `${index % 50}.txt`), String(index))
      if (index % 100 === 0) await pause(10)
    }
    await reloaded(2)
    expect(await kit.call(capsule, { do: 'wait', ms: 500 })).toMatchObject({ ok: true })
    expect(kit.status().starts).toBe(2)
  })

  it('Q77: is none in hidden files, caches and backups of editors', async () => {
    await kit.call(capsule, { do: 'text' })
    for (const folder of ['.git', 'node_modules', '__pycache__']) {
      mkdirSync(join(kit.folder, 'src', folder))
      writeFileSync(join(kit.folder, 'src', folder, 'file'), 'x')
    }
    for (const file of ['.one.txt.swp', 'one.txt~', '#one.txt#', 'other.swp'])
      writeFileSync(join(kit.folder, 'src', file), 'x')
    // A file beside the watched one.
    copyFileSync(join(kit.folder, 'src/deep/one.txt'), join(kit.folder, 'unwatched.txt'))
    expect(await kit.call(capsule, { do: 'wait', ms: 500 })).toMatchObject({ ok: true })
    expect(kit.status().starts).toBe(1)
  })

  it('Q79: lets calls in flight finish, and those that come meanwhile wait for the new process', async () => {
    const pid = await kit.value(capsule, { do: 'pid' })
    const flying = kit.value(capsule, { do: 'wait', ms: 800, value: 'finished' })
    await until(() => kit.status().running === 1)
    writeFileSync(join(kit.folder, 'src/deep/one.txt'), 'two')
    await until(() => kit.status().state === 'RELOADING')
    const waiting = kit.value(capsule, { do: 'pid' })
    expect(await flying).toBe('finished')
    expect(await waiting).not.toBe(pid)
    expect(kit.status()).toMatchObject({ starts: 2, crashes: 0 })
  })

  it('Q79: does not wait for ever for a call', async () => {
    await kit.call(capsule, { do: 'text' })
    const flying = kit.call(capsule, { do: 'never' })
    await until(() => kit.status().running === 1)
    writeFileSync(join(kit.folder, 'src/deep/one.txt'), 'two')
    expect(await flying).toMatchObject({
      ok: false,
      reason: 'crashed',
      message: '`sample` was reloaded and had not answered within 5 s',
    })
    expect(await kit.call(capsule, { do: 'text' })).toMatchObject({ ok: true })
  })

  it('starts one that waits to be started again at once', async () => {
    const broken = { ...capsule, restart: { baseMs: 600_000, capMs: 600_000 } }
    await kit.call(broken, { do: 'crash', status: 1 })
    const waiting = kit.call(broken, { do: 'text' })
    await until(() => kit.said('orla').some((line) => line.startsWith('starting again in')))
    writeFileSync(join(kit.folder, 'src/deep/one.txt'), 'mended')
    expect(await waiting).toMatchObject({ ok: true })
  })

  async function reloaded(starts: number): Promise<void> {
    await until(() => kit.status().starts === starts && kit.status().state === 'READY')
  }
})
