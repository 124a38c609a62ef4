import {
  appendFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../../../test/stories/project.ts'
import { watchesOf } from '../../../test/watches.ts'
import { contentDigest } from '../../formats/index.ts'
import type { Manifest, Receipt } from '../../model/index.ts'
import { listTree } from '../../platform/index.ts'
import { watchFiles } from './file-watch.ts'
import { openRecords } from './records.ts'

/** A package of many files, as it was installed, and someone who looks at it before each call. */
async function watched(
  files: Readonly<Record<string, string>>,
  manifest: object,
  onFound?: (difference: string) => void,
) {
  const base = mkdtempSync(join(tmpdir(), 'orla-watch-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const folder = join(base, 'package')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    utimesSync(join(folder, path), 0, 0)
  }
  const receipt: Receipt = {
    v: 1,
    name: 'x',
    version: '1.0.0',
    pin: { kind: 'directory', path: folder },
    digest: contentDigest('x', '1.0.0', listTree(folder)),
    installed_at: '2026-01-01T00:00:00Z',
    permissions: [],
    manifest: manifest as Manifest, // only what it names is asked for
  }
  const records = openRecords(join(base, 'home'))
  let compared = 0
  const listingOf = (of: string) => {
    compared++
    return records.listingOf(of)
  }
  const watch = watchFiles(folder, receipt, { ...records, listingOf }, onFound)
  onTestFinished(() => watch.release())
  // Files that changed this lately are read at each look; what is tested is the state afterwards.
  await eventually(
    () => watch.look() === undefined && records.stampOf(folder, receipt.digest) !== undefined,
    'a stamp',
  )
  expect(watch.look()).toBeUndefined()
  return { base, folder, watch, compared: () => compared }
}

const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`data/${index}`, 'x']))
const folders = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`d${index}/file`, 'x']))

describe('a look before a call of a package with many files', () => {
  it('Q89: does not read everything again to say the same of a changed package, until that changes', async () => {
    const { folder, watch, compared } = await watched({ ...many, 'tool.yaml': '' }, {})
    const file = join(folder, 'data/7')
    writeFileSync(file, 'y')
    expect(watch.look()).toBe('its files changed')
    // While the change is young every file is read, then none.
    await eventually(() => {
      const before = compared()
      expect(watch.look()).toBe('its files changed')
      return compared() === before
    }, 'a no without reading')
    const before = compared()
    writeFileSync(file, 'z')
    expect(watch.look()).toBe('its files changed')
    expect(compared()).toBeGreaterThan(before)
    writeFileSync(file, 'x')
    expect(watch.look()).toBeUndefined()
  })

  it.each(['bin/run.sh', 'lib/other.py'])(
    'Q89: sees at once that %s changed, which its manifest names',
    async (path) => {
      const manifest = { entrypoint: './bin/run.sh', implementations: [{ id: 'p', entry: 'lib/other.py' }] }
      const { folder, watch } = await watched(
        { ...many, ...folders, 'bin/run.sh': 'a', 'lib/other.py': 'b', 'tool.yaml': '' },
        manifest,
      )
      expect(watch.glance()).toBeUndefined()
      appendFileSync(join(folder, path), 'evil')
      expect(watch.glance()).toBe('its files changed')
    },
  )

  it('Q89: sees within a second that any other changed', async () => {
    const { folder, watch } = await watched({ ...many, 'bin/run.sh': 'a' }, { entrypoint: 'bin/run.sh' })
    appendFileSync(join(folder, 'data/39'), 'evil')
    const begun = performance.now()
    await eventually(() => watch.glance() !== undefined, 'a difference')
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})

describe.skipIf(process.platform !== 'linux')('the files of a package that a server calls', () => {
  let found: string[]
  beforeEach(() => {
    found = []
    // Files count as settled at once.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const serve = async (more: Readonly<Record<string, string>> = {}) => {
    const files = { ...many, ...more, 'bin/run.sh': 'a' }
    const served = await watched(files, { entrypoint: 'bin/run.sh' }, (difference) => found.push(difference))
    const before = watchesOf(process.pid)
    expect(await served.watch.glance()).toBeUndefined()
    return { ...served, before }
  }

  it('Q89: are watched from the first call on, a watch for each folder, until they are released', async () => {
    const { watch, before } = await serve(folders)
    expect(watchesOf(process.pid) - before).toBe(15)
    expect(await watch.glance()).toBeUndefined()
    expect(watchesOf(process.pid) - before).toBe(15)
    watch.release()
    expect(watchesOf(process.pid)).toBe(before)
    expect(await watch.glance()).toBeUndefined()
    expect(watchesOf(process.pid) - before).toBe(15)
  })

  it('Q89: a change to any of them is seen by the next call, and the call after it is undone runs', async () => {
    const { folder, watch } = await serve()
    appendFileSync(join(folder, 'data/39'), 'evil')
    expect(await watch.glance()).toBe('its files changed')
    writeFileSync(join(folder, 'data/39'), 'x')
    expect(await watch.glance()).toBeUndefined()
    expect(found).toEqual([])
  })

  it('Q89: what is written past the watches is found after a call, told, and denies the next one', async () => {
    const { base, folder, watch } = await serve()
    linkSync(join(folder, 'data/39'), join(base, 'second-name'))
    appendFileSync(join(base, 'second-name'), 'evil')
    expect(await watch.glance(), 'the watches cannot know').toBeUndefined()
    await eventually(() => {
      watch.took(0.1)
      return found.length > 0
    }, 'a finding')
    expect(found).toEqual(['its files changed'])
    expect(await watch.glance()).toBe('its files changed')
  })

  it('are not watched when one of them has a second name, and are then looked at as before', async () => {
    const { base, folder, watch, before } = await serve()
    linkSync(join(folder, 'data/39'), join(base, 'second-name'))
    expect(watch.look()).toBeUndefined()
    await eventually(
      async () => (await watch.glance()) === undefined && watchesOf(process.pid) === before,
      'no watches',
    )
    appendFileSync(join(base, 'second-name'), 'evil')
    await eventually(async () => (await watch.glance()) !== undefined, 'a difference')
  })

  it('are no longer watched when nobody has called for some minutes', async () => {
    const { watch, before } = await serve()
    watch.release()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    expect(await watch.glance()).toBeUndefined()
    vi.advanceTimersByTime(4 * 60_000)
    watch.took(0.1)
    vi.advanceTimersByTime(4 * 60_000)
    expect(watchesOf(process.pid)).toBeGreaterThan(before)
    vi.advanceTimersByTime(2 * 60_000)
    expect(watchesOf(process.pid)).toBe(before)
  })

  const serveSmall = async () => {
    const files = { 'bin/run.sh': 'a', 'tool.yaml': 'x' }
    const served = await watched(files, { entrypoint: 'bin/run.sh' }, (difference) => found.push(difference))
    return { ...served, before: watchesOf(process.pid) }
  }

  it('Q89: are watched after a short call when they are few, and a change to any is seen by the next', async () => {
    const { folder, watch, before } = await serveSmall()
    expect(watch.glance(), 'all of them, at once').toBeUndefined()
    expect(watchesOf(process.pid)).toBe(before)
    watch.took(0.1)
    await eventually(() => watchesOf(process.pid) - before === 2, 'a watch for each folder')
    for (const path of ['tool.yaml', 'bin/run.sh', 'bin/added']) {
      expect(await watch.glance()).toBeUndefined()
      const text = path === 'bin/run.sh' ? 'a' : 'x'
      writeFileSync(join(folder, path), 'evil')
      expect(await watch.glance(), path).toBe('its files changed')
      if (path === 'bin/added') rmSync(join(folder, path))
      else writeFileSync(join(folder, path), text)
      expect(await watch.glance(), `${path} as it was`).toBeUndefined()
      watch.took(0.1)
    }
    expect(found).toEqual([])
  })

  it('Q89: are looked at all, and not watched, before calls that take long enough for it', async () => {
    const { base, folder, watch, before } = await serveSmall()
    watch.took(10)
    await new Promise((resolve) => setImmediate(resolve))
    expect(watch.glance()).toBeUndefined()
    expect(watchesOf(process.pid)).toBe(before)
    linkSync(join(folder, 'tool.yaml'), join(base, 'second-name'))
    appendFileSync(join(base, 'second-name'), 'evil')
    expect(watch.glance()).toBe('its files changed')
  })

  it('Q89: are denied when the folder is another one, though nothing was heard in it', async () => {
    const { base, folder, watch } = await serveSmall()
    const quietly = watchesOf(process.pid)
    watch.took(0.1)
    await eventually(() => watchesOf(process.pid) > quietly, 'watches')
    // The folder above is replaced, which no watch tells.
    renameSync(base, `${base}-moved`)
    onTestFinished(() => rmSync(`${base}-moved`, { recursive: true, force: true }))
    cpSync(`${base}-moved`, base, { recursive: true })
    writeFileSync(join(folder, 'bin/run.sh'), 'evil')
    expect(await watch.glance()).toBe('its files changed')
  })
})
