import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-private-'))
  file = join(folder, 'deep/er/file')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const bytes = new Uint8Array([1, 2, 3])

it('writes for its owner alone, replaces whole files, and leaves nothing beside them', () => {
  expect(writePrivateFile(file, new Uint8Array(9))).toBe(true)
  expect(writePrivateFile(file, bytes)).toBe(true)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'deep/er')).mode & 0o777).toBe(0o700)
  expect(readdirSync(join(folder, 'deep/er'))).toEqual(['file'])
  expect(readPrivateFile(file, 100)).toEqual(bytes)
})

it('reads nothing that others could have written, that is a link, too large or not there', () => {
  expect(readPrivateFile(file, 100)).toBeUndefined()
  writePrivateFile(file, bytes)
  expect(readPrivateFile(file, 2)).toBeUndefined()
  for (const mode of [0o620, 0o602]) {
    chmodSync(file, mode)
    expect(readPrivateFile(file, 100)).toBeUndefined()
  }
  chmodSync(file, 0o600)
  renameSync(file, `${file}2`)
  symlinkSync(`${file}2`, file)
  expect(readPrivateFile(file, 100)).toBeUndefined()
  expect(readPrivateFile(folder, 100)).toBeUndefined()
})

it('says when it cannot write, and leaves what is there', () => {
  writeFileSync(join(folder, 'deep'), 'a file where the folder should be')
  expect(writePrivateFile(file, bytes)).toBe(false)
  expect(readdirSync(folder)).toEqual(['deep'])
})
