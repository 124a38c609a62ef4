/** What ssh writes everything with: big-endian numbers, and strings with their length before them. */
export interface WireReader {
  bytes(count: number): Buffer
  uint32(): number
  string(): Buffer
  text(): string
  /** Whether nothing is left. */
  isAtEnd(): boolean
  rest(): Buffer
}

/** Reading beyond the end throws a RangeError: the callers make their own words of it. */
export function readWire(source: Buffer): WireReader {
  let at = 0
  const bytes = (count: number) => {
    if (at + count > source.length) throw new RangeError('it ends too early')
    at += count
    return source.subarray(at - count, at)
  }
  const uint32 = () => bytes(4).readUInt32BE(0)
  const string = () => bytes(uint32())
  return {
    bytes,
    uint32,
    string,
    text: () => string().toString('latin1'),
    isAtEnd: () => at === source.length,
    rest: () => bytes(source.length - at),
  }
}

export function wireString(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as Uint8Array) // a text becomes UTF-8, bytes stay what they are
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

export function wireUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Base64 as ssh writes it, and nothing else: two spellings of the same bytes would be two files. */
export function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined
}

/** The bytes between the lines that begin and end a block of PEM; `label` is what those lines say. */
export function readArmour(text: string, label: string): Buffer | undefined {
  const [begin, end] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`]
  const lines = text.trim().split(/\r?\n/)
  if (lines[0] !== begin || lines.at(-1) !== end) return undefined
  return readBase64(lines.slice(1, -1).join(''))
}

/** The same file as ssh would write. */
export function writeArmour(bytes: Buffer, label: string): string {
  const lines = bytes.toString('base64').match(/.{1,70}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
