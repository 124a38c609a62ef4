import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeRepository, type RawEntry, type TestRepository, testEnvironment } from '../../../test/git-kit.ts'
import { createNodeStarter } from '../process/node-starter.ts'
import { until } from '../process/starter.contract.ts'
import type { ProcessStarter } from '../process/starter.ts'
import { listTree } from '../tree.ts'
import { exportTree } from './export-tree.ts'
import { createGit, type Git } from './git.ts'
import { withObjects } from './objects.ts'

let starter: ProcessStarter
let git: Git
let folder: string
let repository: TestRepository
let out: string
let kept: 'loose' | 'in a pack'

beforeAll(() => {
  starter = createNodeStarter()
})
afterAll(() => starter.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-export-'))
  repository = makeRepository(join(folder, 'fs'))
  git = createGit({ starter, env: testEnvironment() })
  out = join(folder, 'out')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (commit: string, limits?: { entries: number; bytes: number }) => {
  if (kept === 'in a pack') packAll()
  return withObjects(git, join(repository.path, '.git'), (objects) =>
    exportTree(objects, commit, out, limits === undefined ? {} : { limits }),
  )
}

/** Also what is broken, and what no name leads to. */
function packAll(): void {
  const request = { cwd: repository.path, env: testEnvironment() }
  const ids = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'], request)
  execFileSync('git', ['pack-objects', '-q', '.git/objects/pack/pack'], { ...request, input: ids })
  execFileSync('git', ['prune-packed', '-q'], request)
}

async function expectRefused(entries: readonly RawEntry[], words: string) {
  await expect(run(repository.commitRaw(entries))).rejects.toMatchObject({
    code: 'E_UNSAFE_TREE',
    message: expect.stringContaining(words),
  })
  expect(existsSync(out)).toBe(false)
}

const TEN = Array.from({ length: 10 }, (_, index) => String(index))
const FILE = '100644'
const LINK = '120000'

// Git reads the ones, we the others: both promise the same.
describe.each(['loose', 'in a pack'] as const)('exportTree of objects that are %s', (how) => {
  beforeEach(() => {
    kept = how
  })

  it('Q58: writes every file of a commit as it is, 644 or 755', async () => {
    const binary = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i))
    repository.commit({
      'tool.yaml': 'name: fs\r\n',
      'bin/fs': '#!/bin/sh\n',
      empty: '',
      'deep/er/größe.bin': binary.repeat(2_000),
      'with space "and quote"': 'x',
    })
    const commit = repository.git('rev-parse', 'HEAD')
    const result = await run(commit)
    expect(result.files).toBe(5)
    const expected = listTree(repository.path).filter(({ path }) => !path.startsWith('.git/'))
    expect(listTree(out)).toEqual(expected)
    expect(statSync(join(out, 'bin/fs')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(out, 'tool.yaml')).mode & 0o7777).toBe(0o644)
  })

  it('knows no filters, attributes or substitutions', async () => {
    const marker = join(folder, 'ran')
    repository.git('config', 'filter.evil.smudge', `touch ${marker}`)
    repository.git('config', 'core.autocrlf', 'true')
    const commit = repository.commit({
      '.gitattributes': '* filter=evil eol=crlf ident export-subst\nsecret export-ignore\n',
      'a.txt': 'one\ntwo $Id$ $Format:%H$\n',
      secret: 'kept',
    })
    await run(commit)
    expect(readFileSync(join(out, 'a.txt'), 'utf8')).toBe('one\ntwo $Id$ $Format:%H$\n')
    expect(readFileSync(join(out, 'secret'), 'utf8')).toBe('kept')
    expect(existsSync(marker)).toBe(false)
  })

  it('reads modes as git does', async () => {
    const commit = repository.commitRaw([
      { mode: '100600', name: 'a', content: 'a' },
      { mode: '100664', name: 'b', content: 'b' },
      { mode: '100711', name: 'c', content: 'c' },
      { mode: '0100644', name: 'd', content: 'd' },
    ])
    await run(commit)
    expect(listTree(out).map(({ path, executable }) => [path, executable])).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
      ['d', false],
    ])
    rmSync(out, { recursive: true })
    await expectRefused([{ mode: '60000', name: 'device' }], 'is a submodule')
  })

  it('refuses trees that are not whole, and entries that are not what their mode says', async () => {
    const blob = repository.git('rev-parse', `${repository.commit({ a: 'a' })}:a`)
    for (const entry of [
      { mode: '40000', name: 'a', id: blob },
      { mode: FILE, name: 'a', id: repository.git('rev-parse', 'HEAD^{tree}') },
      { mode: FILE, name: 'a', id: blob.slice(0, 10) },
      { mode: FILE, name: '', id: blob },
      { mode: 'x', name: 'a', id: blob },
    ]) {
      const commit = repository.commitRaw([entry])
      await expect(run(commit)).rejects.toMatchObject({ code: 'E_GIT_DAMAGED' })
      expect(existsSync(out)).toBe(false)
    }
  })

  it.each([
    ['files', [{ mode: FILE, name: 'a' }]],
    ['nothing', []],
  ])('refuses a small tree that unfolds to endless folders of %s', async (_, innermost) => {
    const treeOf = (commit: string) => repository.git('rev-parse', `${commit}^{tree}`)
    let commit = repository.commitRaw(innermost)
    for (let depth = 0; depth < 12; depth++) {
      const id = treeOf(commit)
      commit = repository.commitRaw(TEN.map((name) => ({ mode: '40000', name, id })))
    }
    await expect(run(commit)).rejects.toMatchObject({
      code: 'E_UNSAFE_TREE',
      message: expect.stringContaining('entries'),
    })
    expect(existsSync(out)).toBe(false)
  })

  it('judges the size of a large tree before it writes', async () => {
    for (const name of ['a', 'b', 'c'])
      writeFileSync(join(repository.path, name), Buffer.alloc(17 << 20, name))
    const commit = repository.commit({})
    const limits = { entries: 10, bytes: 50 << 20 }
    mkdirSync(out)
    const seen: string[] = []
    const watcher = watch(out, (_event, name) => seen.push(String(name)))
    await expect(run(commit, limits)).rejects.toMatchObject({ message: expect.stringContaining('bytes') })
    // Events keep their order, and the last one is that of the folder itself.
    await until(() => seen.length > 0)
    watcher.close()
    expect(seen.filter((name) => ['a', 'b', 'c'].includes(name))).toEqual([])
  })

  it('makes links that stay inside', async () => {
    repository.commit({ 'lib/a': 'a', 'bin/x': '#!/bin/sh\n' })
    const lib = repository.git('rev-parse', 'HEAD:lib')
    const commit = repository.commitRaw([
      { mode: '40000', name: 'lib', id: lib },
      { mode: LINK, name: 'link', content: 'lib/a' },
      { mode: LINK, name: 'nowhere', content: './not/there' },
    ])
    await run(commit)
    expect(readlinkSync(join(out, 'link'))).toBe('lib/a')
    expect(readFileSync(join(out, 'link'), 'utf8')).toBe('a')
    expect(readlinkSync(join(out, 'nowhere'))).toBe('./not/there')
  })

  it.each([
    ['/etc/passwd', 'absolute'],
    ['../outside', 'leaves the package'],
    ['..', 'leaves the package'],
    ['a/../../outside', "'..' inside"],
    ['', 'link to nothing'],
    [`${'x/'.repeat(3_000)}x`, 'of a kind'],
  ])('refuses a link to %.20s', async (content, words) => {
    await expectRefused(
      [
        { mode: FILE, name: 'a' },
        { mode: LINK, name: 'evil', content },
      ],
      words,
    )
  })

  it.each([
    ['..', 'leaves its folder'],
    ['.', "part '.'"],
    ['.git', "part '.git'"],
    ['.GIT', "part '.git'"],
    ['git~1', "part '.git'"],
    ['a\\b', 'backslash'],
    ['a\nb', 'control characters'],
    ['a\u001b[31m', 'control characters'],
    ['C:x', 'drive letter'],
    ['n'.repeat(300), 'longer than'],
  ])('refuses a file named %.20j', async (name, words) => {
    await expectRefused([{ mode: FILE, name, content: 'x' }], words)
  })

  it('refuses names that contain a slash, are not UTF-8, or are there twice', async () => {
    await expectRefused([{ mode: FILE, name: '../evil' }], 'leaves its folder')
    await expectRefused([{ mode: FILE, name: '/etc/evil' }], 'absolute')
    await expectRefused([{ mode: FILE, name: Buffer.from([0x61, 0xff]) }], 'not UTF-8')
    await expectRefused(
      [
        { mode: FILE, name: 'a' },
        { mode: FILE, name: 'a' },
      ],
      'is there twice',
    )
    await expectRefused(
      [
        { mode: FILE, name: 'A' },
        { mode: FILE, name: 'a' },
      ],
      'only in case',
    )
    const sub = repository.git('rev-parse', `${repository.commit({ x: 'x' })}^{tree}`)
    await expectRefused(
      [
        { mode: '40000', name: 'Dir', id: sub },
        { mode: '40000', name: 'dir', id: sub },
      ],
      'only in case',
    )
    await expectRefused(
      [
        { mode: LINK, name: 'dir', content: 'x' },
        { mode: '40000', name: 'dir', id: sub },
      ],
      'both a file and a folder',
    )
  })

  it('refuses submodules', async () => {
    await expectRefused([{ mode: '160000', name: 'sub', id: 'a'.repeat(40) }], 'is a submodule')
  })

  it('refuses more files or bytes than allowed before it writes any', async () => {
    const commit = repository.commit({ a: 'x', b: 'x', c: 'x' })
    await expect(run(commit, { entries: 2, bytes: 100 })).rejects.toMatchObject({
      code: 'E_UNSAFE_TREE',
      message: expect.stringContaining('2 entries'),
    })
    await expect(run(commit, { entries: 9, bytes: 2 })).rejects.toMatchObject({
      code: 'E_UNSAFE_TREE',
      message: expect.stringContaining('2 bytes'),
    })
    const id = repository.git('rev-parse', `${commit}:a`)
    const many = Array.from({ length: 500 }, (_, i) => ({ mode: FILE, name: `file-${i + 1_000}`, id }))
    await expect(run(repository.commitRaw(many), { entries: 5, bytes: 100 })).rejects.toMatchObject({
      code: 'E_UNSAFE_TREE',
    })
    expect(existsSync(out)).toBe(false)
  })

  it('handles trees larger than one batch', async () => {
    for (const name of ['a', 'b', 'c'])
      writeFileSync(join(repository.path, name), Buffer.alloc(20 << 20, name))
    const commit = repository.commit({})
    await expect(run(commit)).resolves.toEqual({ files: 3, bytes: 60 << 20 })
    expect(readFileSync(join(out, 'c')).equals(Buffer.alloc(20 << 20, 'c'))).toBe(true)
  })

  it('refuses what is not a commit that is there, and a destination that is in use', async () => {
    for (const commit of ['HEAD', '--help', 'main'])
      await expect(run(commit)).rejects.toMatchObject({ code: 'E_SOURCE' })
    await expect(run('a'.repeat(40))).rejects.toMatchObject({ code: 'E_GIT_DAMAGED' })
    await expect(run(repository.commit({ a: 'b' }))).resolves.toBeDefined()
    await expect(run(repository.git('rev-parse', 'HEAD'))).rejects.toMatchObject({ code: 'E_FILE' })
    expect(readFileSync(join(out, 'a'), 'utf8')).toBe('b')
  })

  it('notices an object that is not what its name says', async () => {
    kept = 'loose'
    const commit = repository.commit({ 'tool.yaml': 'good' })
    const object = (name: string) => join(repository.path, '.git/objects', name.slice(0, 2), name.slice(2))
    repository.commit({ 'tool.yaml': 'evil' })
    const good = object(repository.git('rev-parse', `${commit}:tool.yaml`))
    const evil = readFileSync(object(repository.git('rev-parse', 'HEAD:tool.yaml')))
    rmSync(good)
    writeFileSync(good, evil)
    await expect(run(commit)).rejects.toMatchObject({ code: 'E_GIT_DAMAGED' })
    expect(existsSync(out)).toBe(false)
  })
})
