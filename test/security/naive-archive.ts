import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { inflateRawSync } from 'node:zlib'

/**
 * Archives as a program reads them that trusts what they say: the control of every hostile one. What does no
 * harm here would prove nothing by being refused elsewhere.
 */
export interface NaiveEntry {
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'hard link' | 'pipe' | 'device'
  readonly mode: number
  readonly data: Buffer
  readonly link: string
}

/** By the directory at its end, or from the front as a program does that reads from a pipe. */
export function readZip(bytes: Buffer, by: 'directory' | 'front' = 'directory'): NaiveEntry[] {
  const entries: NaiveEntry[] = []
  if (by === 'front') {
    for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
      const { entry, end } = zipEntry(bytes, at, 0o100644)
      entries.push(entry)
      at = end
    }
    return entries
  }
  for (let at = directoryOf(bytes); bytes.readUInt32LE(at) === 0x02014b50; ) {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    const { entry } = zipEntry(bytes, bytes.readUInt32LE(at + 42), bytes.readUInt32LE(at + 38) >>> 16)
    entries.push({ ...entry, path: bytes.toString('utf8', at + 46, nameEnd) })
    at = nameEnd
  }
  return entries
}

function directoryOf(bytes: Buffer): number {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06'))
  const start = bytes.readUInt32LE(end + 16)
  if (start !== 0xffffffff) return start
  return Number(bytes.readBigUInt64LE(bytes.lastIndexOf(Buffer.from('PK\x06\x06')) + 48))
}

function zipEntry(bytes: Buffer, at: number, mode: number): { entry: NaiveEntry; end: number } {
  const nameEnd = at + 30 + bytes.readUInt16LE(at + 26)
  const end = nameEnd + bytes.readUInt32LE(at + 18)
  const packed = bytes.subarray(nameEnd, end)
  const data = bytes.readUInt16LE(at + 8) === 8 ? inflateRawSync(packed) : packed
  const path = bytes.toString('utf8', at + 30, nameEnd)
  return { entry: { path, kind: KINDS[mode >> 12] ?? 'file', mode, data, link: data.toString() }, end }
}

const KINDS: Readonly<Record<number, NaiveEntry['kind']>> = {
  1: 'pipe',
  2: 'device',
  4: 'folder',
  10: 'link',
}

export function readTar(bytes: Buffer): NaiveEntry[] {
  const entries: NaiveEntry[] = []
  let longName: string | undefined
  for (let at = 0; bytes[at] !== 0 && at < bytes.length; ) {
    const text = (from: number, length: number) =>
      bytes.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 11), 8)
    const data = bytes.subarray(at + 512, at + 512 + size)
    const [type, mode] = [text(156, 1), Number.parseInt(text(100, 7), 8)]
    const [name, link] = [text(0, 100), text(157, 100)]
    at += 512 + Math.ceil(size / 512) * 512
    if (type === 'x') longName = /^\d+ path=(.*)\n$/s.exec(data.toString())?.[1]
    else if (type === 'L') longName = data.toString().slice(0, -1)
    else {
      entries.push({ path: longName ?? name, kind: TYPES[type] ?? 'file', mode, data, link })
      longName = undefined
    }
  }
  return entries
}

const TYPES: Readonly<Record<string, NaiveEntry['kind']>> = {
  '1': 'hard link',
  '2': 'link',
  '3': 'device',
  '5': 'folder',
  '6': 'pipe',
}

/** Puts everything where its name says. Names end at a NUL, as they do for programs in C. */
export function unpackNaively(entries: readonly NaiveEntry[], folder: string): void {
  for (const { path, kind, mode, data, link } of entries) {
    const target = resolve(folder, path.replace(/\0.*$/s, ''))
    mkdirSync(kind === 'folder' ? target : dirname(target), { recursive: true })
    if (kind === 'link') symlinkSync(link, target)
    if (kind === 'hard link') linkSync(resolve(folder, link), target)
    if (kind === 'pipe') execFileSync('mkfifo', [target])
    if (kind !== 'file') continue
    writeFileSync(target, data)
    chmodSync(target, mode & 0o7777)
  }
}
