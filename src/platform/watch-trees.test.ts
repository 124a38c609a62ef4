import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitUntil } from './wait.ts'
import { type TreeWatcher, watchTrees } from './watch-trees.ts'

let folder: string
let watcher: TreeWatcher | undefined
let changed: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trees-'))
  changed = []
  for (const path of ['a/b/c', 'd']) mkdirSync(join(folder, path), { recursive: true })
  for (const path of ['a/one', 'a/b/c/two', 'd/three', 'four']) writeFileSync(join(folder, path), 'x')
})
afterEach(() => {
  watcher?.close()
  rmSync(folder, { recursive: true, force: true })
})

const watching = (...paths: string[]) => {
  watcher = watchTrees(
    paths.map((path) => join(folder, path)),
    { onChange: (file) => changed.push(file), onError: () => {}, debounceMs: 50 },
  )
  return watcher
}
const told = async (path: string) => {
  await waitUntil(() => changed.length > 0 || undefined, 15_000)
  expect(changed).toEqual([join(folder, path)])
  changed = []
}

describe('watched trees', () => {
  it('Q77: tell which file changed, came or went, at any depth', async () => {
    watching('a')
    writeFileSync(join(folder, 'a/b/c/two'), 'changed')
    await told('a/b/c/two')
    mkdirSync(join(folder, 'a/new/deep'), { recursive: true })
    writeFileSync(join(folder, 'a/new/deep/file'), 'x')
    await told('a/new/deep/file')
    unlinkSync(join(folder, 'a/one'))
    await told('a/one')
    renameSync(join(folder, 'a/b'), join(folder, 'a/moved'))
    await told('a/moved/c/two')
  })

  it('tell of single files, also of those that come later', async () => {
    watching('four', 'later', 'nowhere/yet')
    writeFileSync(join(folder, 'four'), 'changed')
    await told('four')
    writeFileSync(join(folder, 'later'), 'x')
    await told('later')
    mkdirSync(join(folder, 'nowhere'))
    writeFileSync(join(folder, 'nowhere/yet'), 'x')
    await told('nowhere/yet')
  })

  it('say nothing about folders that were fresh, about what was known, or about what is as before', async () => {
    const trees = watching('a')
    writeFileSync(join(folder, 'a/one'), 'changed')
    trees.look()
    mkdirSync(join(folder, 'a/empty'))
    writeFileSync(join(folder, 'd/three'), 'not watched')
    await pause(300)
    expect(changed).toEqual([])
  })

  it('do not follow links to folders, which may lead round in circles', async () => {
    symlinkSync('..', join(folder, 'a/up'))
    watching('a')
    utimesSync(join(folder, 'a/b/c/two'), 1, 1)
    await told('a/b/c/two')
  })

  it('say nothing any more once closed', async () => {
    watching('a').close()
    writeFileSync(join(folder, 'a/one'), 'changed')
    await pause(200)
    expect(changed).toEqual([])
  })
})
