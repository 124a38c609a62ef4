import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listTree, surveyTree, type TreeFile } from '../tree.ts'
import { extractArchive } from './extract.ts'
import { packTarGz, packZip } from './pack.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-extract-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(tree: Readonly<Record<string, string | Buffer>>): string {
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(join(folder, 'tree', dirname(path)), { recursive: true })
    writeFileSync(join(folder, 'tree', path), content)
  }
  return join(folder, 'tree')
}

describe.each([
  ['zip', packZip],
  ['tar.gz', packTarGz],
])('what was unpacked from a %s', (_, pack) => {
  it.each(['', 'top/'])('is listed as it is on the disk, below %j', async (top) => {
    const large = randomBytes(9 << 20)
    const tree = write({ [`${top}a`]: 'words', [`${top}b/größe`]: '', [`${top}b/large`]: large })
    chmodSync(join(tree, top, 'a'), 0o755)
    const archive = join(folder, 'archive')
    await pack(
      tree,
      listTree(tree).map(({ path }) => path),
      archive,
    )
    let listed: readonly TreeFile[] = []
    const out = join(folder, 'out')
    await extractArchive(archive, out, { stripTopFolder: true, onListed: (files) => (listed = files) })
    expect(listed).toEqual(listTree(out))
    expect(listed).toEqual(listTree(join(tree, top)))
    expect(readFileSync(join(out, 'b/large')).equals(large)).toBe(true)
  })
})

it('what is known of a tree is not read again, and what is not known is', () => {
  const tree = write({ a: 'words', b: 'more', c: 'unknown' })
  const known = listTree(tree).filter(({ path }) => path !== 'c')
  const before = listTree(tree)
  writeFileSync(join(tree, 'a'), 'other')
  expect(surveyTree(tree, undefined, false, known).files).toEqual(before)
  rmSync(join(tree, 'b'))
  const now = surveyTree(tree, undefined, false, known).files
  expect(now.map(({ path }) => path)).toEqual(['a', 'c'])
})
