import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makePath } from './make-path.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'orla-path-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

describe('makePath', () => {
  it('makes all that is missing with its mode, and tells the first', () => {
    expect(makePath(join(base, 'a/b/c'), 0o700)).toBe(join(base, 'a'))
    expect(statSync(join(base, 'a/b/c')).mode & 0o777).toBe(0o700)
    expect(makePath(join(base, 'a/b/c'))).toBeUndefined()
    expect(makePath(join(base, 'a/b/d/'))).toBe(join(base, 'a/b/d/'))
    symlinkSync(join(base, 'a'), join(base, 'link'))
    expect(makePath(join(base, 'link'))).toBeUndefined()
    expect(makePath(join(base, 'link/x'))).toBe(join(base, 'link/x'))
  })

  it('fails where something else is in the way', () => {
    writeFileSync(join(base, 'file'), '')
    symlinkSync(join(base, 'nowhere'), join(base, 'broken'))
    expect(() => makePath(join(base, 'file'))).toThrow(expect.objectContaining({ code: 'EEXIST' }))
    expect(() => makePath(join(base, 'file/x'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
    expect(() => makePath(join(base, 'broken'))).toThrow(expect.objectContaining({ code: 'EEXIST' }))
  })

  it.runIf(existsSync('/proc/self'))('ends where no folders can be made', () => {
    expect(() => makePath('/proc/orla/x')).toThrow(expect.objectContaining({ code: 'ENOFOLDERS' }))
  })
})
