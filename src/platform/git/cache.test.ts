import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeRepository, type TestRepository, testEnvironment } from '../../../test/git-kit.ts'
import { createNodeStarter } from '../process/node-starter.ts'
import type { ProcessStarter } from '../process/starter.ts'
import { listTree } from '../tree.ts'
import { createGitCache, type GitCache } from './cache.ts'
import { createGit } from './git.ts'

const home = mkdtempSync(join(tmpdir(), 'orla-cache-host-'))
const host = join(home, 'host.mjs')
let starter: ProcessStarter
let folder: string
let root: string
let repository: TestRepository
let cache: GitCache
let first: string

/** Fetches a tag, or fetches and clears for ever. */
const HOST = `
import { rmSync } from 'node:fs'
import { createGit } from ${JSON.stringify(fileURLToPath(new URL('./git.ts', import.meta.url)))}
import { createGitCache } from ${JSON.stringify(fileURLToPath(new URL('./cache.ts', import.meta.url)))}
const [root, url, tag, times] = process.argv.slice(2)
const cache = createGitCache(createGit({ env: process.env }), root)
console.log('begins')
if (times === 'ever') for (;;) await cache.readFile(url, 'tool.yaml')
console.log(await cache.ensure(url, tag, undefined))
`

beforeAll(async () => {
  starter = createNodeStarter()
  writeFileSync(join(home, 'host.ts'), HOST)
  const bundle = await rolldown({ input: join(home, 'host.ts'), platform: 'node' })
  await bundle.write({ dir: home, entryFileNames: 'host.mjs', format: 'esm' })
  await bundle.close()
})
afterAll(async () => {
  await starter.close()
  rmSync(home, { recursive: true, force: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-cache-'))
  root = join(folder, 'cache')
  repository = makeRepository(join(folder, 'fs'))
  first = repository.commit({ 'tool.yaml': 'version: 1.0.0', 'bin/fs': '#!/bin/sh\n' })
  repository.git('tag', 'v1.0.0')
  cache = createGitCache(createGit({ starter, env: testEnvironment() }), root)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function release(tag: string): string {
  const commit = repository.commit({ 'tool.yaml': `version: ${tag.slice(1)}` })
  repository.git('tag', '--force', tag)
  return commit
}

const unplug = () => renameSync(repository.path, `${repository.path}.away`)
const plug = () => renameSync(`${repository.path}.away`, repository.path)
const copy = () =>
  join(root, 'git', readdirSync(join(root, 'git')).find((name) => name.endsWith('.git')) ?? 'none')
const url = () => repository.path
const textOf = (path: string) => readFileSync(path, 'utf8')

function packs(): string[] {
  const objects = join(copy(), 'objects', 'pack')
  return readdirSync(objects)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => join(objects, name))
}

describe('createGitCache', () => {
  it('Q55 Q58: after one fetch every version is there without network', async () => {
    const second = release('v1.1.0')
    repository.git('tag', '-a', 'v1.2.0-rc.1', '-m', 'annotated')
    repository.git('tag', 'other')
    expect(await cache.commitOf(url(), 'v1.0.0')).toBeUndefined()
    expect(await cache.cachedTags(url())).toEqual([])
    expect(existsSync(root)).toBe(false)
    expect(await cache.ensure(url(), 'v1.1.0', second)).toBe(second)
    unplug()
    expect(await cache.ensure(url(), 'v1.1.0', second)).toBe(second)
    expect(await cache.ensure(url(), 'v1.0.0', undefined)).toBe(first)
    expect(await cache.ensure(url(), 'v1.0.0', first, { offline: true })).toBe(first)
    expect(await cache.commitOf(url(), 'v1.2.0-rc.1')).toBe(second)
    expect(await cache.cachedTags(url())).toEqual([
      { tag: 'v1.0.0', commit: first },
      { tag: 'v1.1.0', commit: second },
      { tag: 'v1.2.0-rc.1', commit: second },
    ])
    for (const [commit, text] of [
      [first, 'version: 1.0.0'],
      [second, 'version: 1.1.0'],
    ] as const) {
      const out = join(folder, commit)
      await cache.exportTree(url(), commit, out)
      expect(textOf(join(out, 'tool.yaml'))).toBe(text)
      expect(listTree(out).map(({ path, executable }) => [path, executable])).toEqual([
        ['bin/fs', true],
        ['tool.yaml', false],
      ])
    }
    expect(readdirSync(join(root, 'git'))).toHaveLength(1)
  })

  it('fetches what is new, says what is not there, and touches no network when offline', async () => {
    await cache.ensure(url(), 'v1.0.0', undefined)
    const second = release('v1.1.0')
    await expect(cache.ensure(url(), 'v1.1.0', second, { offline: true })).rejects.toMatchObject({
      code: 'E_OFFLINE',
    })
    expect(await cache.ensure(url(), 'v1.1.0', undefined)).toBe(second)
    await expect(cache.ensure(url(), 'v9.0.0', undefined)).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('no tag v9.0.0'),
    })
    unplug()
    await expect(cache.ensure(url(), 'v9.0.0', undefined)).rejects.toMatchObject({ code: 'E_GIT' })
    expect(await cache.ensure(url(), 'v1.1.0', second)).toBe(second)
    const none = makeRepository(join(folder, 'none'))
    none.commit({ a: 'b' })
    await expect(cache.ensure(none.path, 'v1.0.0', undefined)).rejects.toMatchObject({ code: 'E_GIT' })
  })

  it('Q55: remembers the tags until something is fetched, and writes files with what finds them', async () => {
    const remembered = () => join(copy(), 'orla-tags')
    await cache.ensure(url(), 'v1.0.0', undefined)
    expect(existsSync(remembered())).toBe(false)
    const tags = [{ tag: 'v1.0.0', commit: first }]
    expect(await cache.cachedTags(url())).toEqual(tags)
    expect(existsSync(remembered())).toBe(true)
    expect(await cache.cachedTags(url())).toEqual(tags)
    const out = join(folder, 'out')
    expect(await cache.exportTag(url(), 'v1.0.0', first, out, { offline: true })).toBe(first)
    expect(textOf(join(out, 'tool.yaml'))).toBe('version: 1.0.0')
    const second = release('v1.1.0')
    await expect(
      cache.exportTag(url(), 'v1.1.0', second, join(folder, 'no'), { offline: true }),
    ).rejects.toMatchObject({ code: 'E_OFFLINE' })
    expect(await cache.exportTag(url(), 'v1.1.0', second, join(folder, 'new'))).toBe(second)
    expect(textOf(join(folder, 'new/tool.yaml'))).toBe('version: 1.1.0')
    expect(await cache.cachedTags(url())).toEqual([...tags, { tag: 'v1.1.0', commit: second }])
  })

  it('Q89: follows a tag that moved, and refuses it where another commit is expected', async () => {
    await cache.ensure(url(), 'v1.0.0', first)
    const moved = release('v1.0.0')
    expect(await cache.ensure(url(), 'v1.0.0', first)).toBe(first)
    expect(await cache.ensure(url(), 'v1.0.0', moved)).toBe(moved)
    expect(await cache.commitOf(url(), 'v1.0.0')).toBe(moved)
    await expect(cache.ensure(url(), 'v1.0.0', first)).rejects.toMatchObject({
      code: 'E_TAG_MOVED',
      message: expect.stringMatching(new RegExp(`${first}.*${moved}`)),
    })
  })

  it('Q89: refuses an annotated tag that was copied to another name', async () => {
    repository.git('tag', '-a', 'v2.0.0', '-m', 'real')
    repository.git('update-ref', 'refs/tags/v3.0.0', repository.git('rev-parse', 'v2.0.0'))
    expect(await cache.ensure(url(), 'v2.0.0', undefined)).toBe(first)
    for (const attempt of [cache.ensure(url(), 'v3.0.0', undefined), cache.commitOf(url(), 'v3.0.0')])
      await expect(attempt).rejects.toMatchObject({
        code: 'E_TAG',
        message: expect.stringContaining('"v2.0.0"'),
      })
    repository.git('tag', '-a', 'v4.0.0', '-m', 'of a tree', `${first}^{tree}`)
    await expect(cache.ensure(url(), 'v4.0.0', undefined)).rejects.toMatchObject({ code: 'E_TAG' })
    expect(await cache.ensure(url(), 'v1.0.0', undefined)).toBe(first)
  })

  it('keeps no history and no address', async () => {
    for (let i = 1; i < 5; i++) release(`v1.${i}.0`)
    await cache.ensure(url(), 'v1.0.0', undefined)
    expect(existsSync(join(copy(), 'shallow'))).toBe(true)
    expect(textOf(join(copy(), 'config'))).not.toContain(folder)
    expect(existsSync(join(copy(), 'hooks'))).toBe(false)
  })

  it('Q57: reads a file of the newest state, and only that', async () => {
    expect(await cache.readFile(url(), 'tool.yaml')).toBe('version: 1.0.0')
    repository.commit({ 'tool.yaml': 'größer', 'deep/file.txt': 'deep' })
    expect(await cache.readFile(url(), 'tool.yaml')).toBe('größer')
    expect(await cache.readFile(url(), 'deep/file.txt')).toBe('deep')
    repository.git('branch', '--move', 'main', 'trunk')
    repository.commit({ 'tool.yaml': 'renamed' })
    expect(await cache.readFile(url(), 'tool.yaml')).toBe('renamed')
    for (const file of ['none.yaml', 'deep'])
      await expect(cache.readFile(url(), file)).rejects.toMatchObject({
        code: 'E_GIT',
        message: expect.stringContaining(`no ${file}`),
      })
    await expect(cache.readFile(makeRepository(join(folder, 'empty')).path, 'a')).rejects.toMatchObject({
      code: 'E_GIT',
    })
    unplug()
    await expect(cache.readFile(url(), 'tool.yaml')).rejects.toMatchObject({ code: 'E_GIT' })
  })
})

describe('a damaged copy', () => {
  const plain = () => join(copy(), 'orla-plain')
  const cut = (file: string) => {
    chmodSync(file, 0o644)
    truncateSync(file, 40)
  }
  const damages: [string, () => void][] = [
    ['without HEAD', () => rmSync(join(copy(), 'HEAD'))],
    ['without objects', () => rmSync(join(copy(), 'objects'), { recursive: true })],
    ['with a cut pack', () => packs().forEach(cut)],
    ['with a broken configuration', () => writeFileSync(join(copy(), 'config'), '[[[')],
    ['with a broken list of shallow commits', () => writeFileSync(join(copy(), 'shallow'), 'x\n')],
    [
      'that is a file',
      () => {
        const place = copy()
        rmSync(place, { recursive: true })
        writeFileSync(place, '')
      },
    ],
  ]

  it.each(damages)('%s is fetched again', async (_, damage) => {
    await cache.ensure(url(), 'v1.0.0', first)
    const second = release('v1.1.0')
    damage()
    expect(await cache.ensure(url(), 'v1.1.0', second)).toBe(second)
    await cache.exportTree(url(), first, join(folder, 'out'))
    expect(textOf(join(folder, 'out/tool.yaml'))).toBe('version: 1.0.0')
    expect(readdirSync(join(root, 'git'))).toHaveLength(1)
  })

  it('whose tags are remembered is fetched again when they are needed', async () => {
    await cache.ensure(url(), 'v1.0.0', first)
    await cache.cachedTags(url())
    packs().forEach(cut)
    const out = join(folder, 'out')
    await expect(cache.exportTag(url(), 'v1.0.0', first, out, { offline: true })).rejects.toMatchObject({
      code: 'E_OFFLINE',
    })
    expect(existsSync(out)).toBe(false)
    expect(await cache.exportTag(url(), 'v1.0.0', first, out)).toBe(first)
    expect(textOf(join(out, 'tool.yaml'))).toBe('version: 1.0.0')
  })

  it('found while its files are written is fetched again, once', async () => {
    await cache.ensure(url(), 'v1.0.0', first)
    packs().forEach(cut)
    await cache.exportTree(url(), first, join(folder, 'out'))
    expect(textOf(join(folder, 'out/tool.yaml'))).toBe('version: 1.0.0')
    await cache.ensure(url(), 'v1.0.0', first, { offline: true })
    packs().forEach(cut)
    rmSync(plain(), { recursive: true })
    unplug()
    const other = createGitCache(createGit({ starter, env: testEnvironment() }), root)
    await expect(other.exportTree(url(), first, join(folder, 'out2'))).rejects.toMatchObject({
      code: 'E_GIT_DAMAGED',
    })
    expect(existsSync(join(folder, 'out2'))).toBe(false)
    expect(await other.commitOf(url(), 'v1.0.0')).toBeUndefined()
    plug()
    expect(await other.ensure(url(), 'v1.0.0', first)).toBe(first)
    await other.exportTree(url(), first, join(folder, 'out2'))
  })

  it('Q58: still gives what was taken from it before, and that is what it was', async () => {
    await cache.exportTag(url(), 'v1.0.0', first, join(folder, 'out'))
    packs().forEach(cut)
    unplug()
    await cache.exportTag(url(), 'v1.0.0', first, join(folder, 'out2'), { offline: true })
    expect(textOf(join(folder, 'out2/tool.yaml'))).toBe('version: 1.0.0')
  })

  const flipped = (bytes: Buffer) => bytes.map((byte, at) => (at % 17 === 11 ? byte ^ 1 : byte))
  it.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['cut', (bytes) => bytes.subarray(0, bytes.length - 5)],
    ['empty', () => Buffer.alloc(0)],
    ['with another byte', (bytes) => Buffer.from(bytes).fill('X', bytes.length - 1)],
    ['with flipped bits', flipped],
    [
      'with other contents',
      (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('1.0.0', '6.6.6'), 'latin1'),
    ],
    ['with other words in front', (bytes) => Buffer.concat([Buffer.from('[["a"],null]\n'), bytes])],
    ['with nothing in it', () => Buffer.from('{}\n')],
  ])('Q58: what was taken from it before may be %s: it is taken anew', async (_, damage) => {
    await cache.exportTag(url(), 'v1.0.0', first, join(folder, 'out'))
    const [kept = ''] = readdirSync(plain())
    const whole = readFileSync(join(plain(), kept))
    writeFileSync(join(plain(), kept), damage(whole))
    unplug()
    await cache.exportTag(url(), 'v1.0.0', first, join(folder, 'out2'), { offline: true })
    expect(textOf(join(folder, 'out2/tool.yaml'))).toBe('version: 1.0.0')
    expect(readdirSync(plain())).toEqual([kept])
    packs().forEach(cut)
    await cache.exportTag(url(), 'v1.0.0', first, join(folder, 'out3'), { offline: true })
    expect(textOf(join(folder, 'out3/tool.yaml'))).toBe('version: 1.0.0')
  })

  it('forgets with a fetch what was taken from it before', async () => {
    await cache.exportTag(url(), 'v1.0.0', first, join(folder, 'out'))
    const second = release('v1.1.0')
    await cache.ensure(url(), 'v1.1.0', second)
    expect(existsSync(plain())).toBe(false)
  })

  it('stays when the repository cannot be reached', async () => {
    await cache.ensure(url(), 'v1.0.0', first)
    appendFileSync(join(copy(), 'shallow.lock'), '')
    unplug()
    await expect(cache.readFile(url(), 'tool.yaml')).rejects.toMatchObject({ code: 'E_GIT' })
    expect(await cache.ensure(url(), 'v1.0.0', first)).toBe(first)
    plug()
    const second = release('v1.1.0')
    expect(await cache.ensure(url(), 'v1.1.0', second)).toBe(second)
    expect(existsSync(join(copy(), 'shallow.lock'))).toBe(false)
  })
})

describe('several processes', () => {
  function start(tag: string, times = 'once'): ChildProcess {
    return spawn(process.execPath, [host, root, url(), tag, times], {
      env: testEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }

  it('fetch the same repository at once, and all get it', async () => {
    const children = [start('v1.0.0'), start('v1.0.0'), start('v1.0.0')]
    const outputs = await Promise.all(
      children.map(async (child) => {
        const chunks: string[] = []
        child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
        const [status] = await once(child, 'close')
        return [status, chunks.join('')]
      }),
    )
    expect(outputs).toEqual(Array.from({ length: 3 }, () => [0, `begins\n${first}\n`]))
    expect(readdirSync(join(root, 'git'))).toHaveLength(1)
  })

  it('killed at any moment leave a cache that works', async () => {
    for (let trial = 0; trial < 12; trial++) {
      if (trial % 3 === 0) rmSync(root, { recursive: true, force: true })
      repository.commit({ 'tool.yaml': `trial ${trial}`, [`file-${trial}`]: 'x'.repeat(10_000) })
      const child = start('v1.0.0', 'ever')
      await once(child.stdout ?? child, 'data')
      // Not a wait for something: the moment of the kill is what varies.
      await pause(randomInt(0, 120))
      child.kill('SIGKILL')
      await once(child, 'close')
      expect(await cache.readFile(url(), 'tool.yaml')).toBe(`trial ${trial}`)
      expect(await cache.ensure(url(), 'v1.0.0', first)).toBe(first)
    }
    const left = readdirSync(join(root, 'git')).filter((name) => !name.endsWith('.git'))
    expect(left.filter((name) => name.endsWith('.lock'))).toEqual([])
  })
})
