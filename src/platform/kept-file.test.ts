import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { putKeptFile, sweepParts } from './kept-file.ts'

/** No system gives a process such a number. */
const NOBODY = 2 ** 30

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('a file that is kept', () => {
  it('is put in its place, for its owner only', () => {
    const folder = scratch()
    const file = join(folder, 'file')
    for (const text of ['one', 'two']) putKeptFile(file, Buffer.from(text))
    expect(readFileSync(file, 'utf8')).toBe('two')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('leaves nothing where it cannot be put, and says so', () => {
    const folder = scratch()
    writeFileSync(join(folder, 'no-folder'), '')
    expect(() => putKeptFile(join(folder, 'no-folder/file'), Buffer.from('x'))).toThrow('ENOTDIR')
    expect(() => putKeptFile(folder, Buffer.from('x'))).toThrow('EISDIR')
    expect(readdirSync(folder)).toEqual(['no-folder'])
  })

  it('is rid of parts whose writers were killed, not of those that are written', () => {
    const folder = scratch()
    for (const name of ['file', `file.${NOBODY}`, `file.${process.pid}`, 'file.cjs'])
      writeFileSync(join(folder, name), 'x')
    sweepParts(folder)
    expect(readdirSync(folder).sort()).toEqual(['file', `file.${process.pid}`, 'file.cjs'].sort())
  })
})
