import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OrlaError } from '../model/index.ts'
import { findUpward, listFolder, makeFolder, readTextIfThere, realPath, writeFileAtomic } from './files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('files', () => {
  it('are replaced whole, with their mode, and leave nothing beside them', () => {
    const file = join(folder, 'a.json')
    writeFileAtomic(file, 'one', 0o600)
    writeFileAtomic(file, 'two', 0o600)
    expect(readFileSync(file, 'utf8')).toBe('two')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['a.json'])
  })

  it('stay as they were when writing fails', () => {
    mkdirSync(join(folder, 'a.json'))
    expect(() => writeFileAtomic(join(folder, 'a.json'), 'two')).toThrow()
    expect(readdirSync(folder)).toEqual(['a.json'])
    expect(statSync(join(folder, 'a.json')).isDirectory()).toBe(true)
  })

  it('that cannot be written are told in words, not as a bug', () => {
    writeFileSync(join(folder, 'file'), '')
    const failures = [
      () => writeFileAtomic(join(folder, 'none/a.json'), 'x'),
      () => writeFileAtomic(join(folder, 'file/a.json'), 'x'),
      () => makeFolder(join(folder, 'file/deeper')),
    ]
    for (const fail of failures) {
      expect(fail).toThrow(OrlaError)
      expect(fail).toThrow(/^cannot (?:write|make the folder) /)
    }
  })

  it('are what links lead to', () => {
    symlinkSync(folder, join(folder, 'link'))
    expect(realPath(join(folder, 'link'))).toBe(realPath(folder))
    expect(realPath(join(folder, 'none'))).toBe(join(folder, 'none'))
  })

  it('that are missing are undefined, not an error', () => {
    expect(readTextIfThere(join(folder, 'none'))).toBeUndefined()
    expect(readTextIfThere(join(folder, 'none', 'deeper'))).toBeUndefined()
    expect(listFolder(join(folder, 'none'))).toEqual([])
    expect(() => readTextIfThere(folder)).toThrow()
  })

  it('Q24: are found in the folders above', () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    writeFileSync(join(folder, 'orla.yaml'), '')
    expect(findUpward('orla.yaml', join(folder, 'a/b'))).toBe(join(folder, 'orla.yaml'))
    expect(findUpward('no-such-file.yaml', join(folder, 'a/b'))).toBeUndefined()
  })
})
