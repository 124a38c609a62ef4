import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readHead } from './head.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-head-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function put(content: string | Buffer): string {
  const path = join(folder, 'file')
  writeFileSync(path, content)
  return path
}
const all = (text: string, goesOn: boolean) => (goesOn ? undefined : text)

it('empty, huge and binary files give what they have', () => {
  expect(readHead(put(''), all)).toBe('')
  expect(readHead(put(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0xff])), all)).toBe('\x7fELF\0\0\ufffd')
  const huge = readHead(put(`#!/bin/sh\n${'# more words\n'.repeat(100_000)}`), all)
  expect(huge?.length).toBeGreaterThan(16_000)
  expect(huge?.endsWith('words\n')).toBe(true)
  expect(readHead(put('x'.repeat(100_000)), all)).toHaveLength(16_384)
})

it.each([0, 1_023, 1_024, 1_025, 4_095, 4_096, 4_097, 16_383, 16_384])(
  'knows whether a file of %d bytes goes on',
  (length) => {
    const text = 'x'.repeat(length)
    expect(readHead(put(text), all)).toBe(text)
  },
)

it('asks again with more until it is enough', () => {
  const long = `# é${'# words é\n'.repeat(1_000)}`
  const path = put(`${long}echo\n${'x\n'.repeat(9_000)}`)
  const asked: number[] = []
  const comment = readHead(path, (text, goesOn) => {
    asked.push(text.length)
    const end = /^(?:#.*(?:\n|$))*/.exec(text)?.[0].length ?? 0
    return end < text.length || !goesOn ? text.slice(0, end) : undefined
  })
  expect(comment).toBe(long)
  expect(asked).toHaveLength(3)
  expect(readHead(path, (text) => text.slice(0, 3))).toBe('# é')
})
