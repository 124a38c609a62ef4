import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  addToStamp,
  changedPaths,
  hasSameNames,
  markFile,
  readStamp,
  refreshStamp,
  stampTree,
  type TreeStamp,
} from './tree-stamp.ts'

const root = mkdtempSync(join(tmpdir(), 'orla-stamp-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const never = () => false

const CHANGES: Readonly<Record<string, (folder: string) => void>> = {
  edited: (folder) => appendFileSync(join(folder, 'bin/tool'), 'x'),
  'edited, with the old size and time': (folder) => {
    const file = join(folder, 'bin/tool')
    const { atime, mtime } = statSync(file)
    writeFileSync(file, readFileSync(file, 'utf8').replace('a', 'b'))
    utimesSync(file, atime, mtime)
  },
  'replaced by a copy': (folder) => {
    cpSync(join(folder, 'bin/tool'), join(folder, 'copy'), { preserveTimestamps: true })
    renameSync(join(folder, 'copy'), join(folder, 'bin/tool'))
  },
  added: (folder) => writeFileSync(join(folder, 'bin/other'), ''),
  'added in a new folder': (folder) => mkdirSync(join(folder, 'bin/__pycache__')),
  deleted: (folder) => rmSync(join(folder, 'lib/part')),
  'another mode': (folder) => chmodSync(join(folder, 'lib/part'), 0o755),
  'a link in its place': (folder) => {
    rmSync(join(folder, 'lib/part'))
    symlinkSync('../bin/tool', join(folder, 'lib/part'))
  },
  'the whole folder exchanged': (folder) => {
    cpSync(folder, `${folder}.copy`, { recursive: true, preserveTimestamps: true })
    rmSync(folder, { recursive: true })
    renameSync(`${folder}.copy`, folder)
  },
}

function make(name: string): string {
  const folder = join(root, name)
  mkdirSync(join(folder, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'lib'))
  writeFileSync(join(folder, 'bin/tool'), 'a tool\n')
  writeFileSync(join(folder, 'lib/part'), 'a part\n')
  return folder
}

async function settled(folder: string): Promise<TreeStamp> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const stamp = stampTree(folder, never)
    if (stamp !== undefined) return stamp
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it did not settle')
}

describe('stamps of folders', () => {
  it('Q89: what was changed just now is not vouched for', () => {
    expect(stampTree(make('young'), never)).toBeUndefined()
  })

  it('Q89: every change shows without reading a byte', async () => {
    const folders = Object.keys(CHANGES).map((name) => make(name))
    const stamps = await Promise.all(folders.map(settled))
    for (const [index, [name, change]] of Object.entries(CHANGES).entries()) {
      const [folder = '', stamp] = [folders[index], readStamp(JSON.parse(JSON.stringify(stamps[index])))]
      expect(stamp, name).toBeDefined()
      if (stamp === undefined) continue
      expect(changedPaths(folder, stamp), name).toEqual([])
      change(folder)
      expect(changedPaths(folder, stamp), name).not.toEqual([])
    }
  })

  it('what Orla writes beside the content is no change, anything else is', async () => {
    const folder = make('own')
    const isOwn = (path: string) => path === 'metadata.json'
    const stamp = await settled(folder)
    writeFileSync(join(folder, 'metadata.json'), '{}')
    const changed = changedPaths(folder, stamp)
    expect(changed).toEqual([''])
    expect(hasSameNames(folder, stamp, changed, isOwn)).toBe(true)
    expect(refreshStamp(folder, stamp, isOwn)).toBe(stamp)
    writeFileSync(join(folder, 'planted'), '')
    expect(hasSameNames(folder, stamp, changed, isOwn)).toBe(false)
    rmSync(join(folder, 'planted'))
    appendFileSync(join(folder, 'bin/tool'), 'x')
    const both = changedPaths(folder, stamp)
    expect([both, hasSameNames(folder, stamp, both, isOwn)]).toEqual([['', 'bin/tool'], false])
    renameSync(join(folder, 'lib'), join(root, 'lib-elsewhere'))
    symlinkSync('../lib-elsewhere', join(folder, 'lib'))
    expect(hasSameNames(folder, stamp, ['lib'], isOwn)).toBe(false)
  })

  it('Q89: one more file counts like the others, once it has settled', async () => {
    const folder = make('more')
    const stamp = await settled(folder)
    expect(addToStamp(folder, stamp, 'receipt')).toBeUndefined()
    const receipt = join(folder, 'lib/receipt')
    writeFileSync(receipt, 'one')
    expect(addToStamp(folder, stamp, 'lib/receipt')).toBeUndefined()
    const more = addToStamp(folder, await settled(folder), 'lib/part')
    expect(more && changedPaths(folder, more)).toEqual([])
    writeFileSync(join(folder, 'lib/part'), 'another\n')
    expect(more && changedPaths(folder, more)).toContain('lib/part')
  })

  it('a mark of a file is another one when it may say something else, and none where nobody can tell', async () => {
    const folder = make('marked')
    const file = join(folder, 'lib/part')
    expect(markFile(join(folder, 'none'))).toBe('')
    expect(markFile(file)).toBeUndefined()
    await settled(folder)
    const mark = markFile(file)
    expect(mark).toEqual(expect.stringMatching(/\d/))
    expect(markFile(file)).toBe(mark)
    appendFileSync(file, 'x')
    expect(markFile(file)).toBeUndefined()
    symlinkSync('part', join(folder, 'lib/link'))
    await settled(folder)
    expect([markFile(join(folder, 'lib/link')), markFile(file) === mark]).toEqual([undefined, false])
  })

  it('what is no stamp is none', () => {
    for (const value of [
      undefined,
      null,
      7,
      {},
      { paths: ['a'], folders: 1, stats: [] },
      { paths: [1], folders: 0, stats: [] },
    ])
      expect(readStamp(value)).toBeUndefined()
  })
})
