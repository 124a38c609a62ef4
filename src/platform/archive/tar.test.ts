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
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { octal, pax, tar } from '../../../test/archive-kit.ts'
import { type ExtractOptions, extractArchive } from './extract.ts'

let folder: string
let destination: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-tar-'))
  destination = join(folder, 'in', 'out')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function extract(bytes: Buffer, options: ExtractOptions = {}) {
  const file = join(folder, 'a.tar')
  writeFileSync(file, bytes)
  return extractArchive(file, destination, options)
}

async function expectRefused(
  bytes: Buffer,
  code: string,
  words: string | RegExp,
  options: ExtractOptions = {},
) {
  for (const packed of [bytes, gzipSync(bytes)]) {
    await expect(extract(packed, options)).rejects.toMatchObject({
      code,
      message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
    })
    expect(existsSync(destination)).toBe(false)
    expect(readdirSync(folder).sort()).toEqual(['a.tar', 'in'])
    expect(readdirSync(join(folder, 'in'))).toEqual([])
  }
}

describe('extractArchive, tar', () => {
  it.each([
    ['tar', (bytes: Buffer) => bytes],
    ['tar.gz', (bytes: Buffer) => gzipSync(bytes)],
  ])('Q37: unpacks a %s with folders, execute bits and large files', async (_, pack) => {
    const big = Buffer.alloc(300_000, 'words ')
    const bytes = tar([
      { name: './', type: '5', mode: 0o755 },
      { name: './tool.yaml', data: 'name: x' },
      { name: 'bin/', type: '5' },
      { name: 'bin/x', data: '#!/bin/sh\n', mode: 0o755 },
      { name: 'lib/deep/big', data: big },
    ])
    await expect(extract(pack(bytes))).resolves.toEqual({ files: 3, bytes: 17 + big.length })
    expect(readFileSync(join(destination, 'lib/deep/big')).equals(big)).toBe(true)
    expect(statSync(join(destination, 'bin/x')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(destination, 'tool.yaml')).mode & 0o7777).toBe(0o644)
  })

  it('unpacks what tar and git archive make, with names longer than a header holds', async () => {
    const long = `${'long-folder-name/'.repeat(12)}file-größe.txt`
    mkdirSync(join(folder, 'src', long, '..'), { recursive: true })
    writeFileSync(join(folder, 'src', long), 'x')
    for (const format of ['gnu', 'pax', 'ustar']) {
      rmSync(destination, { recursive: true, force: true })
      execFileSync('tar', [
        `--format=${format}`,
        '-czf',
        join(folder, 'a.tgz'),
        '-C',
        join(folder, 'src'),
        '.',
      ])
      await expect(extractArchive(join(folder, 'a.tgz'), destination)).resolves.toEqual({
        files: 1,
        bytes: 1,
      })
      expect(readFileSync(join(destination, long), 'utf8')).toBe('x')
    }
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: join(folder, 'src'),
      })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'x')
    git('archive', '-o', '../b.tar.gz', '--prefix=top/', 'HEAD')
    rmSync(destination, { recursive: true, force: true })
    await extractArchive(join(folder, 'b.tar.gz'), destination, { stripTopFolder: true })
    expect(readFileSync(join(destination, long), 'utf8')).toBe('x')
  })

  it.each([
    ['../x', 'leaves its folder'],
    ['./../x', 'leaves its folder'],
    ['a/../../x', 'leaves its folder'],
    ['/etc/x', 'is an absolute path'],
    ['.//etc/x', 'is an absolute path'],
    ['C:/x', 'drive letter'],
    ['a\\b', 'backslash'],
    ['a\nb', 'control characters'],
    ['././a', "part '.'"],
    ['a/./b', "part '.'"],
    ['a//b', 'empty part'],
    ['.git/config', "part '.git'"],
    ['a/.Git/x', "part '.git'"],
  ])('refuses the name %j, also from a pax or GNU header', async (name, words) => {
    await expectRefused(tar([{ name: 'fine' }, { name, data: 'x' }]), 'E_UNSAFE_TREE', words)
    if (!name.includes('\n'))
      await expectRefused(tar([pax({ path: name }), { name: 'fine', data: 'x' }]), 'E_UNSAFE_TREE', words)
    const gnu = { name: '././@LongLink', type: 'L', data: `${name}\0` }
    await expectRefused(tar([gnu, { name: 'fine', data: 'x' }]), 'E_UNSAFE_TREE', words)
  })

  it('refuses names with a NUL or broken UTF-8, and endless names', async () => {
    await expectRefused(tar([pax({ path: 'a\0b' }), { name: 'a' }]), 'E_UNSAFE_TREE', 'NUL')
    await expectRefused(tar([{ name: Buffer.from([0x61, 0xff]) }]), 'E_UNSAFE_TREE', 'not UTF-8')
    await expectRefused(tar([pax({ path: 'a/'.repeat(600) }), { name: 'a' }]), 'E_UNSAFE_TREE', 'longer than')
    await expectRefused(
      tar([pax({ path: 'a/'.repeat(60_000) }), { name: 'a' }]),
      'E_UNSAFE_TREE',
      'of a kind',
    )
  })

  it.each([
    ['a symbolic link', { type: '2', link: '/etc/passwd' }, 'is a link'],
    ['a symbolic link inside', { type: '2', link: 'fine' }, 'is a link'],
    ['a hard link', { type: '1', link: 'fine' }, 'is a link'],
    ['a character device', { type: '3' }, 'is a device'],
    ['a block device', { type: '4' }, 'is a device'],
    ['a pipe', { type: '6' }, 'is a device'],
    ['a sparse file', { type: 'S' }, 'of a kind'],
    ['an unknown kind', { type: 'Z' }, 'of a kind'],
  ])('refuses %s', async (_, entry, words) => {
    await expectRefused(tar([{ name: 'fine' }, { name: 'x', ...entry }]), 'E_UNSAFE_TREE', words)
  })

  it.each([
    [['a', 'a'], 'is there twice'],
    [['a', './a'], 'is there twice'],
    [['a', 'A'], 'only in case'],
    [['dir/a', 'DIR/b'], 'only in case'],
    [['a', 'a/b'], 'both a file and a folder'],
    [['a/b', 'a'], 'both a file and a folder'],
  ])('refuses the twins %j', async (names, words) => {
    await expectRefused(tar(names.map((name) => ({ name }))), 'E_UNSAFE_TREE', words)
  })

  it('masks setuid and what others may write', async () => {
    await extract(
      tar([
        { name: 'x', mode: 0o6777 },
        { name: 'y', mode: 0o666 },
      ]),
    )
    expect(statSync(join(destination, 'x')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(destination, 'y')).mode & 0o7777).toBe(0o644)
  })

  it('refuses what is cut off, damaged, packed twice, or no archive at all', async () => {
    const whole = tar([
      { name: 'a', data: 'x'.repeat(3_000) },
      { name: 'b', data: 'y' },
    ])
    for (const length of [1, 300, 512, 1000, 512 + 3_072, whole.length - 1_024])
      await expectRefused(whole.subarray(0, length), 'E_ARCHIVE', 'cannot be unpacked')
    const gz = gzipSync(whole)
    for (const length of [3, 30, gz.length - 9, gz.length - 1])
      await expect(extract(gz.subarray(0, length))).rejects.toMatchObject({ code: 'E_ARCHIVE' })
    const bad = Buffer.from(whole)
    bad[0] = 0x7a
    await expectRefused(bad, 'E_ARCHIVE', 'checksum')
    await expect(extract(gzipSync(gz))).rejects.toMatchObject({
      code: 'E_ARCHIVE',
      message: expect.stringContaining('twice'),
    })
    await expectRefused(Buffer.from('hello'), 'E_ARCHIVE', 'cannot be unpacked')
    await expectRefused(Buffer.alloc(0), 'E_ARCHIVE', 'cannot be unpacked')
    await expectRefused(tar([{ name: 'a', size: 0o77777777777 }]), 'E_ARCHIVE', 'cannot be unpacked')
    expect(existsSync(destination)).toBe(false)
  })

  it('counts entries, bytes and ratio while it unpacks', async () => {
    await expectRefused(tar([{ name: 'a' }, { name: 'b' }, { name: 'c' }]), 'E_UNSAFE_TREE', '2 entries', {
      entries: 2,
    })
    const folders = Array.from({ length: 30 }, (_, i) => ({ name: `d${i}/`, type: '5' }))
    await expectRefused(tar(folders), 'E_UNSAFE_TREE', '20 entries', { entries: 20 })
    await expectRefused(tar([{ name: 'a', data: 'x'.repeat(11) }]), 'E_UNSAFE_TREE', '10 bytes', {
      bytes: 10,
    })
    const bomb = gzipSync(tar([{ name: 'a', data: Buffer.alloc(50 << 20) }]))
    await expect(extract(bomb)).rejects.toMatchObject({
      code: 'E_UNSAFE_TREE',
      message: expect.stringContaining('unpacks to'),
    })
    // Padding that unpacks for ever never becomes an entry.
    const metas = Array.from({ length: 400 }, () => pax({ comment: 'x'.repeat(60_000) }))
    await expect(extract(gzipSync(tar(metas)), { entries: 10 })).rejects.toMatchObject({
      code: 'E_UNSAFE_TREE',
    })
    expect(existsSync(destination)).toBe(false)
  })

  it('property: whatever bytes are changed, nothing is written outside and nothing is left of a failure', async () => {
    const whole = tar([
      { name: 'bin/', type: '5' },
      { name: 'bin/tool', data: '#!/bin/sh\n', mode: 0o755 },
      pax({ path: `${'p'.repeat(70)}/${'q'.repeat(70)}` }),
      { name: 'x', data: 'words' },
    ])
    const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (changes, fix) => {
          const bytes = Buffer.from(whole)
          for (const [at, value] of changes) bytes[at] = value
          if (fix) repairChecksums(bytes)
          const failed = await extract(bytes).then(
            () => false,
            (error: Error & { code?: string }) => {
              expect(error.code).toMatch(/^E_(ARCHIVE|UNSAFE_TREE)$/)
              return true
            },
          )
          expect(existsSync(destination)).toBe(!failed)
          expect(readdirSync(folder).sort()).toEqual(['a.tar', 'in'])
          rmSync(destination, { recursive: true, force: true })
        },
      ),
      { numRuns: 150 },
    )
  })
})

/** So that changed headers are believed. */
function repairChecksums(bytes: Buffer): void {
  for (const at of [0, 512, 1536, 2560]) {
    const block = bytes.subarray(at, at + 512)
    block.write('        ', 148)
    block.write(
      `${octal(
        block.reduce((sum, byte) => sum + byte, 0),
        6,
      )}\0 `,
      148,
    )
  }
}
