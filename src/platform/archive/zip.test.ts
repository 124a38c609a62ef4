import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { zip } from '../../../test/archive-kit.ts'
import { type ExtractOptions, extractArchive, readArchive } from './extract.ts'

let folder: string
let destination: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-zip-'))
  destination = join(folder, 'in', 'out')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function extract(bytes: Buffer, options: ExtractOptions = {}) {
  const file = join(folder, 'a.zip')
  writeFileSync(file, bytes)
  return extractArchive(file, destination, options)
}

async function expectRefused(
  bytes: Buffer,
  code: string,
  words: string | RegExp,
  options: ExtractOptions = {},
) {
  await expect(extract(bytes, options)).rejects.toMatchObject({
    code,
    message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  })
  expect(existsSync(destination)).toBe(false)
  // What is not unpacked is not read either.
  await expect(readArchive(join(folder, 'a.zip'), options)).rejects.toMatchObject({ code })
  // Nothing appeared anywhere else either.
  expect(readdirSync(folder).sort()).toEqual(['a.zip', 'in'])
  expect(readdirSync(join(folder, 'in'))).toEqual([])
}

describe('extractArchive, zip', () => {
  it('Q37: unpacks stored and deflated files, folders and execute bits', async () => {
    const big = 'words '.repeat(50_000)
    const result = await extract(
      zip([
        { name: 'tool.yaml', data: 'name: x' },
        { name: 'bin/', mode: 0o040755 },
        { name: 'bin/x', data: '#!/bin/sh\n', mode: 0o100755 },
        { name: 'lib/deep/größe.txt', data: big, deflate: true },
      ]),
    )
    expect(result).toEqual({ files: 3, bytes: 17 + big.length })
    expect(readFileSync(join(destination, 'tool.yaml'), 'utf8')).toBe('name: x')
    expect(readFileSync(join(destination, 'lib/deep/größe.txt'), 'utf8')).toBe(big)
    expect(statSync(join(destination, 'bin/x')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(destination, 'tool.yaml')).mode & 0o7777).toBe(0o644)
  })

  it('unpacks an empty zip, a commented one and zip64', async () => {
    await expect(extract(zip([]))).resolves.toEqual({ files: 0, bytes: 0 })
    await expect(extract(zip([{ name: 'a', data: 'b' }], { comment: 'hello' }))).resolves.toEqual({
      files: 1,
      bytes: 1,
    })
    destination = join(folder, 'other')
    await expect(extract(zip([{ name: 'a', data: 'b' }], { zip64: true }))).resolves.toEqual({
      files: 1,
      bytes: 1,
    })
  })

  it('unpacks what the zip program makes', async () => {
    mkdirSync(join(folder, 'src/bin'), { recursive: true })
    writeFileSync(join(folder, 'src/bin/x'), '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(join(folder, 'src/readme'), 'words '.repeat(100))
    try {
      execFileSync('zip', ['-qr', '../a.zip', '.'], { cwd: join(folder, 'src') })
    } catch {
      return
    }
    await expect(extractArchive(join(folder, 'a.zip'), destination)).resolves.toMatchObject({ files: 2 })
    expect(statSync(join(destination, 'bin/x')).mode & 0o777).toBe(0o755)
  })

  it('strips a single top folder when asked, also one whose child has its name', async () => {
    const bytes = zip([
      { name: 'top/tool.yaml', data: 'a' },
      { name: 'top/top/x', data: 'b' },
    ])
    await extract(bytes, { stripTopFolder: true })
    expect(readdirSync(destination).sort()).toEqual(['tool.yaml', 'top'])
    expect(readdirSync(join(destination, 'top'))).toEqual(['x'])
    destination = join(folder, 'two')
    await extract(zip([{ name: 'top/a' }, { name: 'b' }]), { stripTopFolder: true })
    expect(readdirSync(destination).sort()).toEqual(['b', 'top'])
    destination = join(folder, 'three')
    await extract(zip([{ name: 'only' }]), { stripTopFolder: true })
    expect(readdirSync(destination)).toEqual(['only'])
  })

  it('does not touch a destination that has something in it', async () => {
    mkdirSync(destination, { recursive: true })
    writeFileSync(join(destination, 'mine'), '')
    await expect(extract(zip([{ name: 'a' }]))).rejects.toMatchObject({ code: 'E_FILE' })
    expect(readdirSync(destination)).toEqual(['mine'])
  })

  it.each([
    ['../x', 'leaves its folder'],
    ['a/../../x', 'leaves its folder'],
    ['a/..', 'leaves its folder'],
    ['/etc/x', 'is an absolute path'],
    ['C:/x', 'drive letter'],
    ['c:x', 'drive letter'],
    ['a\\b', 'backslash'],
    ['..\\x', 'backslash'],
    ['a\0b', 'control characters'],
    ['a\nb', 'control characters'],
    ['a\u202eb', 'control characters'],
    ['./a', "part '.'"],
    ['a/./b', "part '.'"],
    ['a//b', 'empty part'],
    ['', 'has no name'],
    ['.git/config', "part '.git'"],
    ['a/.GIT/hooks/x', "part '.git'"],
    ['a/git~1/x', "part '.git'"],
  ])('refuses the name %j', async (name, words) => {
    await expectRefused(zip([{ name: 'fine' }, { name, data: 'x' }]), 'E_UNSAFE_TREE', words)
  })

  it('refuses names that are not UTF-8, endless, or only a slash', async () => {
    for (const name of [`${'d/'.repeat(600)}x`, 'n'.repeat(256)])
      await expectRefused(zip([{ name }]), 'E_UNSAFE_TREE', 'longer than')
    await expectRefused(zip([{ name: '/', mode: 0o040755 }]), 'E_UNSAFE_TREE', 'has no name')
    await expectRefused(zip([{ name: Buffer.from([0x61, 0xff]) }]), 'E_UNSAFE_TREE', 'not UTF-8')
  })

  it.each([
    [['a', 'a'], 'is there twice'],
    [['a', 'A'], 'only in case'],
    [['dir/a', 'DIR/b'], 'only in case'],
    [['é', 'e\u0301'], 'only in case or accents'],
    [['a', 'a/b'], 'both a file and a folder'],
    [['a/b', 'a'], 'both a file and a folder'],
  ])('refuses the twins %j', async (names, words) => {
    await expectRefused(zip(names.map((name) => ({ name }))), 'E_UNSAFE_TREE', words)
  })

  it.each([
    ['a link', { mode: 0o120777, data: '/etc/passwd' }, 'is a link'],
    ['a device', { mode: 0o020666 }, 'is a device'],
    ['a pipe', { mode: 0o010666 }, 'is a device'],
    ['a folder without a slash', { mode: 0o040755 }, 'both a file and a folder'],
  ])('refuses %s', async (_, entry, words) => {
    await expectRefused(zip([{ name: 'x', ...entry }]), 'E_UNSAFE_TREE', words)
  })

  it('masks setuid', async () => {
    await extract(zip([{ name: 'x', mode: 0o106755 }]))
    expect(statSync(join(destination, 'x')).mode & 0o7777).toBe(0o755)
  })

  it('refuses a local name that differs from the central one, and other double descriptions', async () => {
    await expectRefused(zip([{ name: 'safe', localName: 'evil' }]), 'E_UNSAFE_TREE', 'another name inside')
    await expectRefused(zip([{ name: 'x', localFlags: 1 }]), 'E_UNSAFE_TREE', 'described in two ways')
    await expectRefused(
      zip([{ name: 'a' }, { name: 'b' }], { count: 1 }),
      'E_UNSAFE_TREE',
      'more entries than it says',
    )
    await expectRefused(
      zip([{ name: 'd/', mode: 0o040755, data: 'x' }]),
      'E_UNSAFE_TREE',
      'folder with content',
    )
  })

  it('refuses entries that share their bytes', async () => {
    const inner = { name: 'b', data: 'x' }
    const local = zip([inner]).subarray(0, 32)
    const bytes = zip([
      { name: 'a', data: local },
      { ...inner, offset: 31 },
    ])
    await expectRefused(bytes, 'E_UNSAFE_TREE', '"a" shares its bytes')
  })

  it('refuses what is encrypted, packed in an unknown way, damaged or cut off', async () => {
    await expectRefused(zip([{ name: 'x', data: 'y', flags: 0x801 }]), 'E_ARCHIVE', /encrypted|mismatch/)
    await expectRefused(zip([{ name: 'x', data: 'y', method: 12 }]), 'E_ARCHIVE', 'method 12')
    await expectRefused(zip([{ name: 'x', data: 'y', crc: 1 }]), 'E_ARCHIVE', 'is damaged')
    await expectRefused(zip([{ name: 'x', data: 'yy', size: 1 }]), 'E_ARCHIVE', 'cannot be unpacked')
    await expectRefused(
      zip([{ name: 'x', data: 'y'.repeat(99), deflate: true, size: 7 }]),
      'E_ARCHIVE',
      'cannot be unpacked',
    )
    const whole = zip([{ name: 'x', data: 'y'.repeat(5_000) }])
    for (const length of [4, 100, 5_000, whole.length - 30, whole.length - 1])
      await expectRefused(whole.subarray(0, length), 'E_ARCHIVE', 'cannot be unpacked')
    await expectRefused(Buffer.from('not an archive'), 'E_ARCHIVE', 'not a zip, tar or tar.gz')
  })

  it('counts entries, bytes and ratio while it unpacks', async () => {
    const three = zip([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    await expectRefused(three, 'E_UNSAFE_TREE', 'more than 2 entries', { entries: 2 })
    await expectRefused(zip([{ name: 'a', data: 'x'.repeat(11) }]), 'E_UNSAFE_TREE', 'more than 10 bytes', {
      bytes: 10,
    })
    const bomb = zip([{ name: 'a', data: Buffer.alloc(20 << 20), deflate: true }])
    expect(bomb.length).toBeLessThan(30_000)
    await expectRefused(bomb, 'E_UNSAFE_TREE', 'unpacks to more than')
    await expect(extract(bomb, { ratio: 2000 })).resolves.toMatchObject({ bytes: 20 << 20 })
  })

  it('property: whatever bytes are changed, nothing is written outside and nothing is left of a failure', async () => {
    const whole = zip([
      { name: 'bin/tool', data: '#!/bin/sh\n', mode: 0o100755 },
      { name: 'data.txt', data: 'words '.repeat(40), deflate: true },
    ])
    const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const bytes = Buffer.from(whole)
        for (const [at, value] of changes) bytes[at] = value
        const failed = await extract(bytes).then(
          () => false,
          (error: Error & { code?: string }) => {
            expect(error.code).toMatch(/^E_(ARCHIVE|UNSAFE_TREE)$/)
            return true
          },
        )
        expect(existsSync(destination)).toBe(!failed)
        expect(readdirSync(folder).sort()).toEqual(['a.zip', 'in'])
        rmSync(destination, { recursive: true, force: true })
      }),
      { numRuns: 150 },
    )
  })
})
