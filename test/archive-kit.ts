import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string | Buffer
  readonly localName?: string
  readonly data?: string | Buffer
  readonly deflate?: boolean
  readonly mode?: number
  readonly flags?: number
  readonly localFlags?: number
  readonly method?: number
  readonly crc?: number
  readonly size?: number
  /** Where its bytes already are, instead of bytes of its own. */
  readonly offset?: number
}

interface ZipEnding {
  readonly count?: number
  readonly zip64?: boolean
  readonly comment?: string
}

/** A zip byte by byte, so that it can lie anywhere. */
export function zip(entries: readonly ZipEntry[], ending: ZipEnding = {}): Buffer {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  const push = (part: Buffer) => {
    parts.push(part)
    at += part.length
  }
  for (const entry of entries) {
    const data = Buffer.from(entry.data ?? '')
    const body = entry.deflate ? deflateRawSync(data) : data
    const name = Buffer.from(entry.name as string)
    const localName = entry.localName === undefined ? name : Buffer.from(entry.localName)
    const offset = entry.offset ?? at
    const common = (flags: number, nameLength: number) => {
      const block = Buffer.alloc(26)
      block.writeUInt16LE(20, 0)
      block.writeUInt16LE(flags, 2)
      block.writeUInt16LE(entry.method ?? (entry.deflate ? 8 : 0), 4)
      block.writeUInt16LE(0x21, 8)
      block.writeUInt32LE(entry.crc ?? crc32(data), 10)
      block.writeUInt32LE(body.length, 14)
      block.writeUInt32LE(entry.size ?? data.length, 18)
      block.writeUInt16LE(nameLength, 22)
      return block
    }
    const flags = entry.flags ?? 0x800
    if (entry.offset === undefined) {
      push(
        Buffer.concat([
          u32(0x04034b50),
          common(entry.localFlags ?? flags, localName.length),
          localName,
          body,
        ]),
      )
    }
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([u32(0x02014b50), u16(0x0314), common(flags, name.length), tail, name]))
  }
  const start = at
  for (const part of central) push(part)
  const size = at - start
  const count = ending.count ?? entries.length
  if (ending.zip64) {
    const record = Buffer.alloc(56)
    record.writeUInt32LE(0x06064b50, 0)
    record.writeBigUInt64LE(44n, 4)
    record.writeBigUInt64LE(BigInt(count), 24)
    record.writeBigUInt64LE(BigInt(count), 32)
    record.writeBigUInt64LE(BigInt(size), 40)
    record.writeBigUInt64LE(BigInt(start), 48)
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    locator.writeBigUInt64LE(BigInt(at), 8)
    locator.writeUInt32LE(1, 16)
    push(record)
    push(locator)
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(ending.zip64 ? 0xffff : count, 8)
  end.writeUInt16LE(ending.zip64 ? 0xffff : count, 10)
  end.writeUInt32LE(ending.zip64 ? 0xffffffff : size, 12)
  end.writeUInt32LE(ending.zip64 ? 0xffffffff : start, 16)
  end.writeUInt16LE(ending.comment?.length ?? 0, 20)
  push(end)
  push(Buffer.from(ending.comment ?? ''))
  return Buffer.concat(parts)
}

const u32 = (value: number) => {
  const block = Buffer.alloc(4)
  block.writeUInt32LE(value)
  return block
}
const u16 = (value: number) => u32(value).subarray(0, 2)

export interface TarEntry {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  readonly type?: string
  readonly link?: string
  readonly mode?: number
  readonly size?: number
}

const END = Buffer.alloc(1024)

/** A tar block by block, so that it can lie anywhere. */
export function tar(entries: readonly TarEntry[], end: Buffer = END): Buffer {
  return Buffer.concat([...entries.map(member), end])
}

function member(entry: TarEntry): Buffer {
  const data = Buffer.from(entry.data ?? '')
  const block = Buffer.alloc(512)
  Buffer.from(entry.name as string).copy(block, 0, 0, 100)
  block.write(octal(entry.mode ?? 0o644, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(entry.size ?? data.length, 11), 124)
  block.write(octal(0, 11), 136)
  block.write('        ', 148)
  block.write(entry.type ?? '0', 156)
  block.write(entry.link ?? '', 157, 100)
  block.write('ustar\x0000', 257)
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return Buffer.concat([block, data, Buffer.alloc((512 - (data.length % 512)) % 512)])
}

export const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

export function pax(fields: Record<string, string>, type = 'x'): TarEntry {
  const lines = Object.entries(fields).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`)
    let length = rest
    while (length !== rest + String(length).length) length = rest + String(length).length
    return `${length} ${key}=${value}\n`
  })
  return { name: 'PaxHeader', type, data: lines.join('') }
}
