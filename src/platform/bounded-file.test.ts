import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readBounded } from './bounded-file.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-bounded-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('reads what is within the limit, to the byte', async () => {
  const file = join(folder, 'ten')
  writeFileSync(file, '0123456789')
  expect(await readBounded(file, 10)).toEqual({ kind: 'bytes', bytes: Buffer.from('0123456789') })
  expect(await readBounded(file, 9)).toEqual({ kind: 'too-large' })
  const empty = join(folder, 'empty')
  writeFileSync(empty, '')
  expect(await readBounded(empty, 0)).toEqual({ kind: 'bytes', bytes: Buffer.alloc(0) })
})

it('says what is not there, also behind a link or below a file', async () => {
  const file = join(folder, 'plain')
  writeFileSync(file, '')
  symlinkSync(join(folder, 'nobody'), join(folder, 'dangling'))
  for (const missing of ['nobody', 'dangling', 'plain/below'])
    expect(await readBounded(join(folder, missing), 10)).toEqual({ kind: 'missing' })
})

it('takes neither folders nor pipes, and does not wait for a writer', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const why = 'it is not a regular file'
  expect(await readBounded(pipe, 10)).toEqual({ kind: 'unreadable', why })
  expect(await readBounded(folder, 1_000_000)).toEqual({ kind: 'unreadable', why })
})
