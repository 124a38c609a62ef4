import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { join, win32 } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pax, type TarEntry, tar, type ZipEntry, zip } from '../archive-kit.ts'
import { type NaiveEntry, readZip, unpackNaively } from './naive-archive.ts'

/** An entry of either format. */
interface Entry {
  readonly name: string
  readonly data?: string | Buffer
  readonly mode?: number
  /** Where a symbolic link leads. */
  readonly linkTo?: string
}

const GOOD: readonly Entry[] = [
  { name: 'tool.yaml', data: 'name: evil\nversion: 1.0.0\ndescription: Says\nentrypoint: bin/evil\n' },
  { name: 'bin/evil', data: '#!/bin/sh\necho good\n', mode: 0o755 },
]

const zipEntry = ({ name, data, mode = 0o644, linkTo }: Entry): ZipEntry =>
  linkTo === undefined
    ? { name, data: data ?? '', mode: 0o100000 | mode, deflate: true }
    : { name, data: linkTo, mode: 0o120777 }
const tarEntry = ({ name, data = '', mode = 0o644, linkTo }: Entry): TarEntry =>
  linkTo === undefined ? { name, data, mode } : { name, type: '2', link: linkTo }

export const packZip = (entries: readonly ZipEntry[]) => zip([...GOOD.map(zipEntry), ...entries])
export const packTar = (entries: readonly TarEntry[]) => gzipSync(tar([...GOOD.map(tarEntry), ...entries]))

/** Where a naive program unpacks, with something of someone else beside it. */
export interface Ground {
  readonly outside: string
  readonly inside: string
}

export interface Attack {
  readonly zip?: (ground: Ground) => Buffer
  readonly tar?: (ground: Ground) => Buffer
  /** Whether a naive program does the harm. It has unpacked nothing yet. */
  readonly harms: (ground: Ground, entries: readonly NaiveEntry[], bytes: Buffer) => boolean
  readonly words: RegExp
}

/** The same in both formats. */
const both = (entries: (ground: Ground) => readonly Entry[]): Pick<Attack, 'zip' | 'tar'> => ({
  zip: (ground) => packZip(entries(ground).map(zipEntry)),
  tar: (ground) => packTar(entries(ground).map(tarEntry)),
})

const planted =
  (path: string): Attack['harms'] =>
  (ground, entries) => {
    unpackNaively(entries, ground.inside)
    return existsSync(join(ground.outside, path))
  }

/** What a program finds that takes the first, and one that takes the last of a name. */
const ambiguous =
  (sameAs: (path: string) => string): Attack['harms'] =>
  (_, entries) => {
    const found = entries.filter(({ path }) => sameAs(path) === 'bin/evil').map(({ data }) => String(data))
    return found.length === 2 && found[0] !== found[1]
  }

const WINDOWS = 'D:\\in\\side'
const leavesWindows: Attack['harms'] = (_, entries) =>
  entries.some(({ path }) => !win32.resolve(WINDOWS, path).startsWith(WINDOWS))

const EVIL = '#!/bin/sh\necho evil\n'
const MIB = 1_048_576

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'a name that climbs out': {
    ...both(() => [{ name: '../planted', data: 'x' }]),
    harms: planted('planted'),
    words: /"\.\.\/planted" leaves its folder/,
  },
  'a name that goes in and climbs out': {
    ...both(() => [{ name: 'bin/../../planted', data: 'x' }]),
    harms: planted('planted'),
    words: /"bin\/\.\.\/\.\.\/planted" leaves its folder/,
  },
  'a name that climbs out, in a header for long names': {
    tar: () => packTar([pax({ path: '../planted' }), { name: 'fine', data: 'x' }]),
    harms: planted('planted'),
    words: /"\.\.\/planted" leaves its folder/,
  },
  'a name that climbs out, in a header of GNU': {
    tar: () =>
      packTar([
        { name: '././@LongLink', type: 'L', data: '../planted\0' },
        { name: 'fine', data: 'x' },
      ]),
    harms: planted('planted'),
    words: /"\.\.\/planted" leaves its folder/,
  },
  'an absolute name': {
    ...both(({ outside }) => [{ name: join(outside, 'planted'), data: 'x' }]),
    harms: planted('planted'),
    words: /is an absolute path/,
  },
  'a name with a drive': {
    ...both(() => [{ name: 'C:/planted', data: 'x' }]),
    harms: leavesWindows,
    words: /"C:\/planted" begins with a drive letter/,
  },
  'a name with backslashes': {
    ...both(() => [{ name: '..\\planted', data: 'x' }]),
    harms: leavesWindows,
    words: /has a backslash in its name/,
  },
  'a name with a NUL': {
    zip: () => packZip([{ name: 'bin/evil\0.txt', data: EVIL }]),
    tar: () => packTar([pax({ path: 'bin/evil\0.txt' }), { name: 'fine', data: EVIL }]),
    harms: ambiguous((path) => path.replace(/\0.*/, '')),
    words: /NUL|control characters/,
  },
  'a name that types into a terminal': {
    ...both(() => [{ name: 'a\u001b]0;owned\u0007', data: 'x' }]),
    harms: (_, entries) => entries.some(({ path }) => path.includes('\u001b]0;owned')),
    words: /has control characters in its name/,
  },
  'a link that leads out, and a file through it': {
    ...both(({ outside }) => [
      { name: 'out', linkTo: outside },
      { name: 'out/planted', data: 'x' },
    ]),
    harms: planted('planted'),
    words: /"out" is a link/,
  },
  'a hard link to something outside, and new content for it': {
    tar: () =>
      packTar([
        { name: 'mine', type: '1', link: '../precious' },
        { name: 'mine', data: 'spoiled' },
      ]),
    harms: ({ outside, inside }, entries) => {
      unpackNaively(entries, inside)
      return readFileSync(join(outside, 'precious'), 'utf8') === 'spoiled'
    },
    words: /"mine" is a link/,
  },
  'a pipe, on which every reader hangs': {
    zip: () => packZip([{ name: 'pipe', mode: 0o010644 }]),
    tar: () => packTar([{ name: 'pipe', type: '6' }]),
    harms: ({ inside }, entries) => {
      unpackNaively(entries, inside)
      return lstatSync(join(inside, 'pipe')).isFIFO()
    },
    words: /"pipe" is a device/,
  },
  'a device': {
    zip: () => packZip([{ name: 'zero', mode: 0o020666 }]),
    tar: () => packTar([{ name: 'zero', type: '3' }]),
    // Only root may make one; that it is read as one has to do.
    harms: (_, entries) => entries.some(({ kind }) => kind === 'device'),
    words: /"zero" is a device/,
  },
  'a name that is there twice': {
    ...both(() => [{ name: 'bin/evil', data: EVIL }]),
    harms: ambiguous((path) => path),
    words: /"bin\/evil" is there twice/,
  },
  'a name that differs in case only': {
    ...both(() => [{ name: 'Bin/EVIL', data: EVIL }]),
    harms: ambiguous((path) => path.toLowerCase()),
    words: /differs from "bin(\/evil)?" only in case/,
  },
  'the same name by way of a dot': {
    ...both(() => [{ name: 'bin/./evil', data: EVIL }]),
    harms: ambiguous((path) => path.replace('/./', '/')),
    words: /has a part '\.' in its path/,
  },
  'a file below a file': {
    ...both(() => [{ name: 'bin/evil/more', data: EVIL }]),
    harms: (_, entries) => entries.some(({ path }) => path.startsWith('bin/evil/')),
    words: /is both a file and a folder/,
  },
  'hooks of git': {
    ...both(() => [{ name: '.git/hooks/post-checkout', data: EVIL, mode: 0o755 }]),
    harms: ({ inside }, entries) => {
      unpackNaively(entries, inside)
      return (statSync(join(inside, '.git/hooks/post-checkout')).mode & 0o111) !== 0
    },
    words: /has a part '\.git' in its path/,
  },
  'another name at the front than in the directory': {
    zip: () => packZip([{ name: 'fine', localName: '../planted', data: 'x' }]),
    harms: ({ outside, inside }, entries, bytes) => {
      unpackNaively(entries, inside)
      const isFine = !existsSync(join(outside, 'planted'))
      unpackNaively(readZip(bytes, 'front'), inside)
      return isFine && existsSync(join(outside, 'planted'))
    },
    words: /"fine" has another name inside the archive/,
  },
  'more entries than its end admits to': {
    zip: () => zip([...GOOD.map(zipEntry), { name: '../planted', data: 'x' }], { count: GOOD.length }),
    harms: planted('planted'),
    words: /has more entries than it says/,
  },
  'more entries than its end admits to, in zip64': {
    zip: () =>
      zip([...GOOD.map(zipEntry), { name: '../planted', data: 'x' }], { count: GOOD.length, zip64: true }),
    harms: planted('planted'),
    words: /has more entries than it says/,
  },
  'entries that share their bytes': {
    zip: () => {
      const bomb = Buffer.from('x'.repeat(500))
      const good = GOOD.map(zipEntry)
      const offset = zip(good).indexOf('PK\x01\x02')
      const shared = Array.from({ length: 50 }, (_, index) => ({ name: `f${index}`, data: bomb, offset }))
      return zip([...good, { name: 'first', data: bomb }, ...shared])
    },
    harms: (_, entries, bytes) => entries.reduce((sum, { data }) => sum + data.length, 0) > 3 * bytes.length,
    words: /shares its bytes|has another name/,
  },
  'more entries than a package may have': {
    ...both(() => Array.from({ length: 10_000 }, (_, index) => ({ name: `f/${index}` }))),
    harms: (_, entries) => entries.length > 10_000,
    words: /has more than 10000 entries/,
  },
  'few bytes that become many': {
    ...both(() => [{ name: 'bomb', data: Buffer.alloc(64 * MIB) }]),
    harms: (_, entries, bytes) => (entries.at(-1)?.data.length ?? 0) > 500 * bytes.length,
    words: /unpacks to more than \d+ bytes/,
  },
}
