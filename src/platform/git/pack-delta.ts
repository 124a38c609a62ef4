/** Of a difference between two objects: how long the one and the other are, and where the instructions begin. */
export interface DeltaSizes {
  readonly from: number
  readonly to: number
  readonly start: number
}

export function deltaSizes(delta: Buffer): DeltaSizes | undefined {
  const from = readVarint(delta, 0, 7)
  const to = from && readVarint(delta, from.end, 7)
  return to && { from: from.value, to: to.value, start: to.end }
}

/** A number of which the lowest bits stand first: some in the first byte, seven in each that follows. */
export function readVarint(
  bytes: Buffer,
  start: number,
  firstBits: number,
): { readonly value: number; readonly end: number } | undefined {
  let byte = bytes[start]
  if (byte === undefined) return undefined
  let value = byte & (2 ** firstBits - 1)
  let unit = 2 ** firstBits
  let at = start + 1
  for (; byte >= 128; at++) {
    byte = bytes[at]
    if (byte === undefined || unit > 2 ** 40) return undefined
    value += (byte & 127) * unit
    unit *= 128
  }
  return { value, end: at }
}

/** Undefined when the instructions do not fit what they are applied to. */
export function applyDelta(from: Buffer, delta: Buffer, { to, start }: DeltaSizes): Buffer | undefined {
  const result = Buffer.allocUnsafe(to)
  let filled = 0
  for (let at = start; at < delta.length; ) {
    const instruction = delta[at++] ?? 0
    if (instruction < 128) {
      // So many bytes as they stand here. Zero is kept for later versions.
      if (instruction === 0 || at + instruction > delta.length || filled + instruction > to) return undefined
      filled += delta.copy(result, filled, at, at + instruction)
      at += instruction
      continue
    }
    // A piece of the other: its seven bits say which bytes of offset (four) and length (three) are given.
    let offset = 0
    let length = 0
    for (let bit = 0; bit < 7; bit++) {
      if ((instruction & (1 << bit)) === 0) continue
      const byte = delta[at++]
      if (byte === undefined) return undefined
      if (bit < 4) offset += byte * 2 ** (8 * bit)
      else length += byte << (8 * (bit - 4))
    }
    if (length === 0) length = 0x10000
    if (offset + length > from.length || filled + length > to) return undefined
    filled += from.copy(result, filled, offset, offset + length)
  }
  return filled === to ? result : undefined
}
