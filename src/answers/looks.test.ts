import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lookAt } from '../platform/index.ts'
import { createLooks, type Looks } from './looks.ts'

/** As if it began so much later: files of now are old then. */
const LATER_MS = 60_000

function begin(): { folder: string; looks: Looks } {
  const folder = mkdtempSync(join(tmpdir(), 'looks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { folder, looks: createLooks(Date.now() + LATER_MS, []) }
}

describe('what a command looked at', () => {
  it('is looked at once for each path, and behind a link as well', () => {
    const { folder, looks } = begin()
    const [file, link, none] = [join(folder, 'file'), join(folder, 'link'), join(folder, 'none')]
    writeFileSync(file, 'text')
    symlinkSync(file, link)
    for (const path of [file, link]) {
      looks.looked(path, true, false)
      looks.looked(path, true, true)
    }
    looks.looked(none, false, true)
    const seen = looks.again(lookAt)
    expect(Buffer.from(seen?.paths ?? []).toString()).toBe(`l${file}\0l${link}\0f${link}\0f${none}\0`)
  })

  it('is not relied upon when something was changed meanwhile, or shortly before', () => {
    const { folder } = begin()
    const file = join(folder, 'file')
    writeFileSync(file, 'text')
    const looks = createLooks(Date.now(), [])
    looks.looked(file, true, false)
    expect(looks.again(lookAt)).toBeUndefined()
  })

  it('is not relied upon when it came or went', () => {
    const { folder, looks } = begin()
    const file = join(folder, 'file')
    looks.looked(file, false, true)
    expect(looks.again(lookAt)).toBeDefined()
    writeFileSync(file, 'text')
    expect(looks.again(lookAt)).toBeUndefined()
    const gone = createLooks(Date.now() + LATER_MS, [])
    gone.looked(file, true, true)
    expect(gone.again(lookAt)).toBeDefined()
    gone.looked(file, false, true)
    expect(gone.again(lookAt)).toBeUndefined()
  })

  it('tells a link that leads elsewhere by the file it leads to', () => {
    const { folder, looks } = begin()
    const [one, link] = [join(folder, 'one'), join(folder, 'link')]
    writeFileSync(one, 'text')
    writeFileSync(join(folder, 'two'), 'text')
    linkSync(one, link)
    looks.looked(link, true, true)
    const before = looks.again(lookAt)
    rmSync(link)
    linkSync(join(folder, 'two'), link)
    expect(looks.again(lookAt)?.stamps).not.toEqual(before?.stamps)
  })

  it.each([
    'relative/path',
    '/proc/self/stat',
    '/sys/kernel',
    '/dev/null',
    'with\0end',
    7,
    Buffer.from('/x'),
  ])('is not relied upon with %j in it', (path) => {
    const { looks } = begin()
    looks.looked(path, true, true)
    expect(looks.again(lookAt)).toBeUndefined()
  })
})
