import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeRepository, type TestRepository, testEnvironment } from '../../../test/git-kit.ts'
import { openPacks } from './packs.ts'

let folder: string
let repository: TestRepository
let bare: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-packs-'))
  repository = makeRepository(join(folder, 'fs'))
  bare = join(repository.path, '.git')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Files that differ a little from version to version: git keeps most of them as differences. */
function fill(versions: number): void {
  const lines = Array.from({ length: 400 }, (_, line) => `line ${line} of a file that is long enough\n`)
  for (let version = 0; version < versions; version++) {
    lines[(version * 37) % 400] = `changed in ${version}\n`
    repository.commit({
      'long.txt': lines.join(''),
      'folder/again.txt': lines.slice(version).join(''),
      'bytes.bin': String.fromCharCode(...Array.from({ length: 300 }, (_, at) => (at * version) % 256)),
      empty: '',
    })
  }
}

const pack = (...options: string[]) => repository.git(...options, 'repack', '-a', '-d', '-f', '-q')

/** Every object of the repository, as git tells it. */
function allObjects(): { id: string; type: string; content: Buffer }[] {
  const request = { cwd: repository.path, env: testEnvironment(), maxBuffer: 2 ** 30 }
  const output = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], request)
  const objects = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at)
    const [id = '', type = '', size = ''] = output.toString('latin1', at, end).split(' ')
    objects.push({ id, type, content: output.subarray(end + 1, end + 1 + Number(size)) })
    at = end + 2 + Number(size)
  }
  return objects
}

describe('the objects of a bare copy', () => {
  it.each([
    ['offsets', 'repack.useDeltaBaseOffset=true'],
    ['hashes', 'repack.useDeltaBaseOffset=false'],
  ])('Q58: are read as git reads them, differences by %s', (_by, setting) => {
    fill(12)
    pack('-c', setting)
    const objects = allObjects()
    const deltas = repository.git('cat-file', '--batch-all-objects', '--batch-check=%(deltabase)').split('\n')
    expect(deltas.filter((base) => !/^0+$/.test(base)).length).toBeGreaterThan(10)
    const packs = openPacks(bare)
    for (const { id, type, content } of objects) {
      const found = packs.find(id)?.()
      expect(found).toMatchObject({ id, type, size: content.length })
      expect(found?.content()?.equals(content)).toBe(true)
    }
  })

  it('are found by a tag, packed or not, annotated or not, and by what a tag is on', () => {
    fill(2)
    repository.git('tag', 'v1.0.0')
    repository.git('tag', '-a', '-m', 'words', 'v1.1.0')
    repository.git('tag', '-a', '-m', 'words', 'v1.2.0', 'v1.1.0')
    repository.git('tag', 'v1.3.0', 'HEAD^{tree}')
    repository.git('pack-refs', '--all')
    pack()
    repository.git('tag', 'v1.0.1', 'HEAD~1')
    repository.git('tag', '-f', 'v1.0.0', 'HEAD~1')
    const packs = openPacks(bare)
    for (const tag of ['v1.0.0', 'v1.0.1', 'v1.1.0', 'v1.2.0', 'v1.3.0']) {
      expect(packs.find(`refs/tags/${tag}`)?.()?.id, tag).toBe(repository.git('rev-parse', tag))
      if (tag === 'v1.3.0') continue
      const commit = repository.git('rev-parse', `${tag}^{commit}`)
      expect(packs.find(`refs/tags/${tag}^{commit}`)?.()?.id, tag).toBe(commit)
    }
    expect(packs.find('refs/tags/v1.3.0^{commit}')).toBeUndefined()
    expect(packs.find('refs/tags/v9')).toBeUndefined()
    expect(packs.find('refs/orla/head:registry.yaml')).toBeUndefined()
  })

  it('are left to git when they are not in a pack', () => {
    fill(1)
    const packs = openPacks(bare)
    expect(packs.find(repository.git('rev-parse', 'HEAD'))).toBeUndefined()
    expect(openPacks(join(folder, 'nothing')).find('0'.repeat(40))).toBeUndefined()
  })

  it('Q58: of a damaged file are what their name says, or nothing', () => {
    fill(4)
    pack()
    const objects = allObjects()
    const place = join(bare, 'objects/pack')
    for (const name of readdirSync(place).filter((one) => /\.(?:idx|pack)$/.test(one))) {
      const file = join(place, name)
      const whole = readFileSync(file)
      const step = Math.max(1, Math.floor(whole.length / 100))
      rmSync(file)
      for (let at = 0; at < whole.length; at += step) {
        const broken = Buffer.from(whole)
        broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8))
        expectNothingElse(file, broken, objects)
        if (at % 7 === 0) expectNothingElse(file, whole.subarray(0, at), objects)
      }
      writeFileSync(file, whole)
    }
  })
})

function expectNothingElse(file: string, bytes: Buffer, objects: ReturnType<typeof allObjects>): void {
  writeFileSync(file, bytes)
  const packs = openPacks(bare)
  for (const { id, content } of objects) {
    const read = packs.find(id)?.()?.content()
    if (read !== undefined && !read.equals(content)) expect.fail(`${id} is something else`)
  }
}
