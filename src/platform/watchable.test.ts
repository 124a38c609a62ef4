import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TreeStamp } from './tree-stamp.ts'
import { isWatchable } from './watchable.ts'

let base: string
let folder: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'orla-watchable-'))
  folder = join(base, 'folder')
  mkdirSync(join(folder, 'inner'), { recursive: true })
  writeFileSync(join(folder, 'inner/file'), 'x')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/** Only its names count here. */
const stampOf = (folders: readonly string[], files: readonly string[]): TreeStamp => ({
  paths: [...folders, ...files],
  folders: folders.length,
  stats: [],
})
const STAMP = stampOf(['', 'inner'], ['inner/file'])

describe.skipIf(process.platform !== 'linux')('watches of a tree', () => {
  it('tell of every change in files that are only there', () => {
    expect(isWatchable(folder, STAMP)).toBe(true)
  })

  it('Q89: tell too little of files that have a second name', () => {
    linkSync(join(folder, 'inner/file'), join(base, 'second'))
    expect(isWatchable(folder, STAMP)).toBe(false)
    rmSync(join(base, 'second'))
    expect(isWatchable(folder, STAMP)).toBe(true)
  })

  it('Q89: tell too little of a link that may be pointed elsewhere', () => {
    symlinkSync('folder', join(base, 'link'))
    expect(isWatchable(join(base, 'link'), STAMP)).toBe(false)
  })

  it('Q89: tell too little in file systems where others write', () => {
    expect(isWatchable('/proc', stampOf([''], ['version']))).toBe(false)
  })

  it('Q89: tell too little when something else is mounted inside', () => {
    expect(isWatchable('/', stampOf(['', 'proc'], []))).toBe(false)
  })

  it('are none where files are missing, nor for more folders than a package has', () => {
    expect(isWatchable(folder, stampOf([''], ['missing']))).toBe(false)
    expect(isWatchable(folder, stampOf(Array<string>(513).fill(''), []))).toBe(false)
  })
})
