import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Draft, openDraft, sweepDrafts } from './draft.ts'

let folder: string
const top = (...names: readonly string[]) => join(folder, 'top', ...names)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drafts-'))
  for (const name of ['own', 'top', 'elsewhere']) mkdirSync(join(folder, name))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

function write(files: Readonly<Record<string, string>>, base = top()): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(base, name)), { recursive: true })
    writeFileSync(join(base, name), content)
  }
}

function draftOf(files: Readonly<Record<string, string>>): Draft {
  write(files)
  const draft = openDraft({ top: top(), own: join(folder, 'own'), isProtected: (name) => name === '.git' })
  if (draft === undefined) throw new Error('there is no place for it')
  for (const name of Object.keys(files)) expect(draft.link(name)).toBe(true)
  return draft
}

const read = (name: string) => readFileSync(top(name), 'utf8')
const left = () => readdirSync(join(folder, 'own'))

describe.skipIf(process.platform !== 'linux')('a draft of a folder', () => {
  it('Q91: shows changes at once, and carries over what was made, replaced, moved and removed', async () => {
    const draft = draftOf({ changed: 'a', replaced: 'b', moved: 'c', removed: 'd', same: 'e' })
    const inside = (name: string) => join(draft.folder, name)
    writeFileSync(inside('changed'), 'A')
    expect(read('changed')).toBe('A')
    write({ 'new': 'N', 'tree/deep/leaf': 'L', temporary: 'B' }, draft.folder)
    renameSync(inside('temporary'), inside('replaced'))
    renameSync(inside('moved'), inside('here'))
    rmSync(inside('removed'))
    expect(existsSync(top('new'))).toBe(false)
    const before = statSync(top('same')).ino
    expect(await draft.settle()).toMatchObject({ refused: [], stranded: [] })
    expect(readdirSync(top()).sort()).toEqual(['changed', 'here', 'new', 'replaced', 'same', 'tree'])
    expect(['replaced', 'here', 'new', 'tree/deep/leaf', 'changed'].map(read)).toEqual([
      'B',
      'c',
      'N',
      'L',
      'A',
    ])
    expect(statSync(top('same'))).toMatchObject({ ino: before, nlink: 1 })
    expect(left()).toEqual([])
  })

  it('Q91: keeps protected names away, in whatever they are wrapped', async () => {
    const draft = draftOf({})
    write({ '.git/hooks/pre-commit': 'evil' }, draft.folder)
    expect(await draft.settle()).toMatchObject({ refused: ['.git'], stranded: [] })
    expect(readdirSync(top())).toEqual([])
    expect(left()).toEqual([])
  })

  it('Q91: takes no protected link away', async () => {
    symlinkSync('elsewhere', top('.git'))
    const draft = draftOf({})
    expect(draft.link('.git')).toBe(true)
    rmSync(join(draft.folder, '.git'))
    await draft.settle()
    expect(readdirSync(top())).toEqual(['.git'])
  })

  it('keeps what others did meanwhile', async () => {
    const draft = draftOf({ removed: 'old', same: 'old' })
    rmSync(join(draft.folder, 'removed'))
    for (const name of ['removed', 'same']) {
      writeFileSync(top('new'), 'of another')
      renameSync(top('new'), top(name))
    }
    await draft.settle()
    expect([read('removed'), read('same')]).toEqual(['of another', 'of another'])
  })

  it('puts folders together that two made at the same time', async () => {
    const drafts = [draftOf({}), draftOf({})]
    for (const [index, draft] of drafts.entries()) {
      write({ [`out/${index}`]: 'x', [`out/deep/${index}`]: 'x', 'out/both': String(index) }, draft.folder)
    }
    for (const draft of drafts) expect(await draft.settle()).toMatchObject({ stranded: [] })
    expect(readdirSync(top('out')).sort()).toEqual(['0', '1', 'both', 'deep'])
    expect(readdirSync(top('out/deep')).sort()).toEqual(['0', '1'])
    expect(read('out/both')).toBe('1')
    expect(left()).toEqual([])
  })

  it('Q91: is not led elsewhere by a link that lies where a folder is to go', async () => {
    const draft = draftOf({})
    write({ 'out/deep/key': 'evil' }, draft.folder)
    write({ 'out/other': '' })
    symlinkSync(join(folder, 'elsewhere'), top('out/deep'))
    const { stranded, folder: kept } = await draft.settle()
    expect(stranded).toEqual(['out'])
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
    expect(readFileSync(join(kept, 'out/deep/key'), 'utf8')).toBe('evil')
  })

  it('loses nothing that has no place', async () => {
    const draft = draftOf({})
    write({ out: 'a file' }, draft.folder)
    write({ 'out/in': '' })
    const { stranded, folder: kept } = await draft.settle()
    expect(stranded).toEqual(['out'])
    expect(readFileSync(join(kept, 'out'), 'utf8')).toBe('a file')
  })

  it('touches nothing when all of it was taken away, and what was left by the killed goes after a week', async () => {
    const draft = draftOf({ kept: 'x' })
    rmSync(draft.folder, { recursive: true })
    expect(await draft.settle()).toMatchObject({ refused: [], stranded: [] })
    expect(read('kept')).toBe('x')
    const [old, recent] = [draftOf({ kept: 'x' }), draftOf({ kept: 'x' })]
    const before = Date.now() / 1000 - 8 * 24 * 3600
    utimesSync(old.folder, before, before)
    await sweepDrafts(join(folder, 'own'))
    expect([existsSync(old.folder), existsSync(recent.folder), read('kept')]).toEqual([false, true, 'x'])
  })

  it('is no place to write in where something was to be mounted and is gone', async () => {
    const draft = draftOf({})
    draft.place('gone', 'folder')
    write({ 'gone/late': 'x' }, draft.folder)
    expect(await draft.settle()).toMatchObject({ stranded: [] })
    expect(read('gone/late')).toBe('x')
  })
})
