import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listTree } from '../tree.ts'
import { extractArchive } from './extract.ts'
import { packTarGz, packZip } from './pack.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-pack-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const LONG = `${'a-long-folder-name/'.repeat(10)}größe.txt`

function makeTree(name: string, ageDays: number, mask: number): string {
  const tree = join(folder, name)
  const files: [string, string, number][] = [
    ['tool.yaml', 'name: x', 0o666],
    ['bin/x', '#!/bin/sh\n', 0o777],
    ['empty', '', 0o666],
    [LONG, 'words '.repeat(20_000), 0o666],
  ]
  for (const [path, text, mode] of files) {
    mkdirSync(join(tree, path, '..'), { recursive: true })
    writeFileSync(join(tree, path), text)
    chmodSync(join(tree, path), mode & ~mask)
    const then = new Date(Date.now() - ageDays * 86_400_000)
    utimesSync(join(tree, path), then, then)
  }
  return tree
}

describe.each([
  ['packTarGz', packTarGz],
  ['packZip', packZip],
])('%s', (_, pack) => {
  it('packs what extractArchive unpacks to the same tree', async () => {
    const tree = makeTree('tree', 0, 0o022)
    const files = listTree(tree)
    const out = join(folder, 'out.pack')
    await pack(
      tree,
      files.map(({ path }) => path),
      out,
    )
    await extractArchive(out, join(folder, 'back'))
    expect(listTree(join(folder, 'back'))).toEqual(files)
    expect(statSync(join(folder, 'back/bin/x')).mode & 0o777).toBe(0o755)
    expect(readdirSync(folder).sort()).toEqual(['back', 'out.pack', 'tree'])
  })

  it('gives the same bytes for the same files, whatever their age, order and other permissions', async () => {
    const one = makeTree('one', 0, 0o022)
    const two = makeTree('two', 400, 0o077)
    const paths = listTree(one).map(({ path }) => path)
    await pack(one, paths, join(folder, '1'))
    await pack(two, paths.toReversed(), join(folder, '2'))
    expect(hash('1')).toBe(hash('2'))
    chmodSync(join(two, 'tool.yaml'), 0o755)
    await pack(two, paths, join(folder, '2'))
    expect(hash('1')).not.toBe(hash('2'))
  })

  it('refuses links and names no package may have, and leaves nothing', async () => {
    const tree = makeTree('tree', 0, 0)
    symlinkSync('tool.yaml', join(tree, 'link'))
    writeFileSync(join(tree, 'a\\b'), '')
    for (const path of ['link', 'a\\b', '../tree/tool.yaml', 'bin'])
      await expect(pack(tree, [path], join(folder, 'out'))).rejects.toMatchObject({ code: 'E_ARCHIVE' })
    await expect(pack(tree, ['none'], join(folder, 'out'))).rejects.toMatchObject({ code: 'E_FILE' })
    await expect(pack(tree, ['tool.yaml'], join(folder, 'no/out'))).rejects.toMatchObject({ code: 'E_FILE' })
    expect(readdirSync(folder)).toEqual(['tree'])
  })
})

describe('a packed tar.gz', () => {
  it('is read by tar without a complaint, in any time zone', async () => {
    const tree = makeTree('tree', 0, 0)
    await packTarGz(tree, ['tool.yaml', LONG], join(folder, 'out.tgz'))
    const listing = execFileSync('tar', ['-tzvf', join(folder, 'out.tgz')], {
      encoding: 'utf8',
      env: { TZ: 'UTC', PATH: '/usr/bin:/bin' },
    })
    expect(listing).toContain('1980-01-01 00:00')
    expect(listing.trim().split('\n')).toHaveLength(2)
  })
})

const hash = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')
