import { readFileSync, statSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { applyDelta, deltaSizes, readVarint } from './pack-delta.ts'

/** What a pack says of one object. */
export interface PackedObject {
  readonly type: string
  readonly size: number
  /** Undefined when it is not as it should be. What comes out must still be compared with its hash. */
  content(): Buffer | undefined
}

/** A file of objects, as git keeps what it fetched, with its index. Undefined for what is not as expected. */
export interface PackFile {
  /** Where an object begins. */
  offsetOf(id: string): number | undefined
  objectAt(offset: number): PackedObject | undefined
}

/** Packs are read whole; larger ones are left to git, which takes them in parts. */
const PACK_BYTES = 16 * 1024 * 1024
/** And so is what takes more than that: differences on top of each other, bytes of one object, bytes of all. */
const LONGEST_CHAIN = 50
const OBJECT_BYTES = 16 * 1024 * 1024
const WORK_BYTES = 256 * 1024 * 1024

const HASH_BYTES = 20
const TABLE = 8
const NAMES = TABLE + 256 * 4
const TYPES = ['', 'commit', 'tree', 'blob', 'tag', '', 'offset', 'hash'] as const

/** `path` without its ending. Undefined when it is not one that can be read here. */
export function openPackFile(path: string): PackFile | undefined {
  const index = readSmall(`${path}.idx`)
  const count = index === undefined || index.length < NAMES ? 0 : index.readUInt32BE(NAMES - 4)
  // Version 2, 20 bytes a hash, no table of far offsets: anything else has another length.
  const isKnown = index?.readUInt32BE(0) === 0xff744f63 && index.readUInt32BE(4) === 2
  if (index === undefined || !isKnown) return undefined
  const offsets = NAMES + count * (HASH_BYTES + 4)
  if (index.length !== offsets + count * 4 + 2 * HASH_BYTES) return undefined
  let read: Buffer | undefined
  let workLeft = WORK_BYTES

  function inflate(pack: Buffer, start: number, size: number): Buffer | undefined {
    workLeft -= size
    if (workLeft < 0) return undefined
    try {
      const content = inflateSync(pack.subarray(start), { maxOutputLength: Math.max(size, 1) })
      return content.length === size ? content : undefined
    } catch {
      return undefined
    }
  }

  function offsetOf(id: string): number | undefined {
    const wanted = Buffer.from(id, 'hex')
    if (index === undefined || wanted.length !== HASH_BYTES) return undefined
    const first = wanted[0] ?? 0
    let low = first === 0 ? 0 : index.readUInt32BE(TABLE + (first - 1) * 4)
    let high = Math.min(index.readUInt32BE(TABLE + first * 4), count)
    while (low < high) {
      const middle = (low + high) >> 1
      const at = NAMES + middle * HASH_BYTES
      const order = index.compare(wanted, 0, HASH_BYTES, at, at + HASH_BYTES)
      if (order === 0) return index.readUInt32BE(offsets + middle * 4)
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  function objectAt(start: number, depth: number): PackedObject | undefined {
    read ??= readSmall(`${path}.pack`) ?? Buffer.alloc(0)
    const pack = read
    const head = readVarint(pack, start, 4)
    if (head === undefined || head.value > OBJECT_BYTES || depth > LONGEST_CHAIN) return undefined
    const kind = TYPES[((pack[start] ?? 0) >> 4) & 7] ?? ''
    const { value: size, end } = head
    if (kind === '') return undefined
    if (kind === 'offset') {
      const back = readBack(pack, end)
      const base = back && objectAt(start - back.value, depth + 1)
      return back && base && builtOn(base, () => inflate(pack, back.end, size))
    }
    if (kind === 'hash') {
      const offset = offsetOf(pack.toString('hex', end, end + HASH_BYTES))
      const base = offset === undefined ? undefined : objectAt(offset, depth + 1)
      return base && builtOn(base, () => inflate(pack, end + HASH_BYTES, size))
    }
    return { type: kind, size, content: () => inflate(pack, end, size) }
  }

  return { offsetOf, objectAt: (offset) => objectAt(offset, 0) }
}

/** An object that is told by how it differs from another. */
function builtOn(base: PackedObject, inflateDelta: () => Buffer | undefined): PackedObject | undefined {
  const delta = inflateDelta()
  const sizes = delta && deltaSizes(delta)
  if (delta === undefined || sizes?.from !== base.size || sizes.to > OBJECT_BYTES) return undefined
  return {
    type: base.type,
    size: sizes.to,
    content() {
      const from = base.content()
      return from && applyDelta(from, delta, sizes)
    },
  }
}

/** How far back the base begins: seven bits a byte, each longer form starting where the shorter ones end. */
function readBack(pack: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = start; at < start + 5; at++) {
    const byte = pack[at]
    if (byte === undefined) return undefined
    value = value * 128 + (byte & 127)
    if (byte < 128) return value === 0 ? undefined : { value, end: at + 1 }
    value++
  }
  return undefined
}

function readSmall(file: string): Buffer | undefined {
  try {
    return statSync(file).size <= PACK_BYTES ? readFileSync(file) : undefined
  } catch {
    return undefined // gone meanwhile, or not to be read
  }
}
