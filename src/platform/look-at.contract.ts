import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LOOK_NUMBERS } from './look-at.ts'

export type Look = (paths: Uint8Array, into: Float64Array) => number

const NOBODY = 65_534
const NOTHING = [0, 0, 0, 0, 0, 0]
const { EACCES, ELOOP, ENAMETOOLONG } = constants.errno

/** A folder with one of everything, and paths to all of it and to what is not there. */
export function makeOddFolder(): { readonly folder: string; readonly paths: readonly Buffer[] } {
  const folder = mkdtempSync(join(tmpdir(), 'look-at-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const at = (name: string | Buffer) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)])
  const files = [
    'file',
    'two\nlines',
    'größe 文 🙂',
    ' ',
    'long'.repeat(60),
    Buffer.from([0xff, 0xfe, 0x80, 1]),
  ]
  for (const name of files) writeFileSync(at(name), 'content')
  mkdirSync(at('folder'))
  writeFileSync(at('folder/inner'), '')
  writeFileSync(at('large'), '')
  truncateSync(at('large'), 5 * 2 ** 32)
  writeFileSync(at('early'), '')
  utimesSync(at('early'), -1.5, -123_456.789)
  writeFileSync(at('late'), '')
  utimesSync(at('late'), 4_294_967_296.123, 4_294_967_296.123)
  writeFileSync(at('program'), '', { mode: 0o755 })
  chmodSync(at('program'), 0o4755)
  linkSync(at('file'), at('second'))
  for (const [target, name] of LINKS) symlinkSync(target, at(name))
  const others = ['folder', 'folder/', 'folder/inner', 'folder/../file', 'large', 'early', 'late', 'program']
  const links = LINKS.map(([, name]) => name)
  const missing = ['nothing', 'nothing/below', 'file/below', 'to-file/below', 'file/', 'to-folder/', 'second']
  const bad = ['n'.repeat(256), 'deep/'.repeat(900), Buffer.from([0xff])]
  const paths = [...files, ...others, ...links, ...missing, ...bad].map(at)
  return {
    folder,
    paths: [...paths, Buffer.alloc(0), Buffer.from('/'), Buffer.from('/dev/null'), Buffer.from('.')],
  }
}

const LINKS = [
  ['file', 'to-file'],
  ['folder', 'to-folder'],
  ['to-file', 'to-link'],
  ['nowhere', 'dangling'],
  ['circle', 'circle'],
] as const

export function entriesOf(paths: readonly (string | Buffer)[], flag: 'l' | 'f'): Buffer {
  return Buffer.concat(paths.flatMap((path) => [Buffer.from(flag), Buffer.from(path), Buffer.alloc(1)]))
}

/** Whoever looks at many files gives what Node's own functions give. */
export function describeLook(name: string, look: Look): void {
  describe(name, () => {
    const { folder, paths } = makeOddFolder()
    const rows = (entries: Buffer, count: number) => {
      const into = new Float64Array(count * LOOK_NUMBERS).fill(Number.NaN)
      expect(look(entries, into)).toBe(count)
      return Array.from({ length: count }, (_, at) => [
        ...into.subarray(at * LOOK_NUMBERS, (at + 1) * LOOK_NUMBERS),
      ])
    }
    const row = (path: string | Buffer, flag: 'l' | 'f' = 'l') => rows(entriesOf([path], flag), 1)[0]

    it('sees what lstat sees', () => {
      expect(rows(entriesOf(paths, 'l'), paths.length)).toEqual(
        paths.map((path) => numbersBy(lstatSync, path)),
      )
    })

    it('sees what stat sees', () => {
      expect(rows(entriesOf(paths, 'f'), paths.length)).toEqual(
        paths.map((path) => numbersBy(statSync, path)),
      )
    })

    it('tells what is not there from what cannot be looked at', () => {
      for (const missing of ['nothing', 'nothing/below', 'file/below', 'file/'])
        expect(row(`${folder}/${missing}`)).toEqual(NOTHING)
      expect(row('')).toEqual(NOTHING)
      expect(row(`${folder}/dangling`, 'f')).toEqual(NOTHING)
      expect(row(`${folder}/dangling`)?.[4]).toBeGreaterThan(0)
      expect(row(`${folder}/circle`, 'f')).toEqual([0, 0, 0, 0, -ELOOP, 0])
      expect(row(`${folder}/${'n'.repeat(256)}`)).toEqual([0, 0, 0, 0, -ENAMETOOLONG, 0])
      expect(row('/long'.repeat(2_000))).toEqual([0, 0, 0, 0, -ENAMETOOLONG, 0])
    })

    it('tells that a folder may not be searched', () => {
      const closed = join(folder, 'closed')
      mkdirSync(closed)
      writeFileSync(join(closed, 'file'), '')
      chmodSync(closed, 0)
      asNobody(() => expect(row(join(closed, 'file'))).toEqual([0, 0, 0, 0, -EACCES, 0]))
      chmodSync(closed, 0o755)
    })

    it('takes and fills parts of larger buffers, and nothing beside them', () => {
      const entries = entriesOf(paths, 'l')
      const around = Buffer.concat([Buffer.from('xyz'), entries, Buffer.from('xyz')])
      const into = new Float64Array((paths.length + 2) * LOOK_NUMBERS).fill(7)
      const part = into.subarray(LOOK_NUMBERS, -LOOK_NUMBERS)
      expect(look(around.subarray(3, -3), part)).toBe(paths.length)
      expect([...part]).toEqual(rows(entries, paths.length).flat())
      expect([...into.subarray(0, LOOK_NUMBERS), ...into.subarray(-LOOK_NUMBERS)]).toEqual(Array(12).fill(7))
      expect(around.toString('latin1')).toBe(`xyz${entries.toString('latin1')}xyz`)
    })

    it('sees ten thousand in their order', () => {
      const many = Array.from({ length: 10_000 }, (_, at) => paths[(at * 7) % paths.length] ?? '')
      const once = new Map(paths.map((path) => [path, numbersBy(lstatSync, path)]))
      const expected = many.map((path) => once.get(path as Buffer)) // they are all out of `paths`
      expect(rows(entriesOf(many, 'l'), many.length)).toEqual(expected)
    })

    it('sees many below one folder as it sees each, whatever they are called', () => {
      const odd = [
        '',
        '/',
        '/file',
        '/.',
        '/..',
        '/../x',
        'file/',
        `/${'d/'.repeat(2_048)}`,
        '/long'.repeat(900),
      ]
      const base = `${folder}/folder`
      const near = [...odd, 'inner', '/inner', '/none/inner', '//inner'].map((name) => base + name)
      for (const from of [base, `${folder}/none`, '', '/']) {
        const many = Array.from({ length: 600 }, (_, at) =>
          at % 3 === 0 ? `${from}/${at}` : (near[at % near.length] ?? ''),
        )
        const expected = many.map((path) => row(path))
        expect(rows(entriesOf(many, 'l'), many.length)).toEqual(expected)
      }
    })

    it('sees nothing in nothing', () => {
      const into = new Float64Array([7])
      expect(look(new Uint8Array(), into)).toBe(0)
      expect(look(new Uint8Array(), new Float64Array())).toBe(0)
      expect(into).toEqual(new Float64Array([7]))
    })

    it('refuses what are not entries, and too little room', () => {
      const into = new Float64Array(100)
      for (const odd of ['l', '/', '\0', 'l/', 'l/\0l', 'l/\0/\0', 'l/\0\0', 'x/\0', 'L/\0', 'l/\0l/tmp'])
        expect(() => look(Buffer.from(odd), into), odd).toThrow(TypeError)
      for (const size of [0, 1, 5, 11])
        expect(() => look(entriesOf(['/', '/'], 'l'), new Float64Array(size))).toThrow(TypeError)
    })
  })
}

function numbersBy(stat: typeof lstatSync, path: string | Buffer): number[] {
  try {
    const stats = stat(path)
    return [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino, stats.mode, stats.dev]
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException // lstat throws nothing else
    return code === 'ENOENT' || code === 'ENOTDIR' ? NOTHING : [0, 0, 0, 0, errno ?? 0, 0]
  }
}

/** Root may search every folder. */
function asNobody(work: () => void): void {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}
