import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openAppendFile } from './append-file.ts'
import { ownKey } from './own-key.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-append-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a file of lines', () => {
  it('is its owner’s alone, and takes whole lines of several writers', () => {
    const file = join(folder, 'lines')
    const [one, other] = [openAppendFile(file), openAppendFile(file)]
    for (let i = 0; i < 100; i++) {
      one.append(`one ${i}`)
      other.append(`other ${i}`)
    }
    one.close()
    other.close()
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(200)
    expect(lines.every((line) => /^(one|other) \d+$/.test(line))).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('goes on under its name when it was moved away, once told', () => {
    const file = join(folder, 'lines')
    const lines = openAppendFile(file)
    lines.append('a')
    renameSync(file, `${file}.1`)
    lines.append('b')
    lines.reopen()
    lines.append('c')
    lines.close()
    expect([readFileSync(`${file}.1`, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['a\nb\n', 'c\n'])
  })

  it('says when a line could not be written, and opens it again when that is possible', () => {
    const lines = openAppendFile('/dev/full')
    expect(() => lines.append('a')).toThrow(/the disk is full/)
    lines.close()
    expect(() => openAppendFile(join(folder, 'none/lines'))).toThrow(/cannot write/)
  })
})

describe('a key of one’s own', () => {
  it('is made once, for its owner alone', () => {
    const file = join(folder, 'deep/key')
    const key = ownKey(file)
    expect(key).toHaveLength(32)
    expect(Buffer.from(ownKey(file))).toEqual(Buffer.from(key))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Buffer.from(ownKey(join(folder, 'other')))).not.toEqual(Buffer.from(key))
  })

  it('is made anew where something lies that is none', () => {
    const file = join(folder, 'key')
    const lines = openAppendFile(file)
    lines.append('short')
    lines.close()
    expect(ownKey(file)).toHaveLength(32)
    expect(Buffer.from(ownKey(file)).subarray(0, 5).toString()).not.toBe('short')
  })
})
