/** Numbers from 0 to 1, the same for the same seed. */
export type Random = () => number

/** mulberry32: small, and the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)]
  if (chosen === undefined) throw new Error('there is nothing to pick from')
  return chosen
}

/** What parsers stumble over. */
const SNIPPETS = [
  '',
  '\0',
  '\r\n',
  '\n\n',
  '\t',
  '\uFEFF',
  '\u202E',
  '\u2028',
  '\u{E0041}',
  '\uD800',
  '../',
  '..\\',
  '/etc/passwd',
  '-',
  '--',
  '&a [*a, *a]',
  '<<: *a',
  '!!js/function',
  '{{{{{{{{',
  '[[[[[[[[',
  '"__proto__": {"x": 1}',
  'constructor',
  '1e999',
  '-0',
  '0x41',
  '9007199254740993',
  '18446744073709551616',
  '1.10',
  'null',
  'true',
  '""',
  '\\u0000',
  '\\',
  '(a+)+$',
  '$..*',
  '$[?@.a==@.b]',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Host: evil.example\r\n',
  'PK\x03\x04',
  'PK\x01\x02',
  'PK\x05\x06',
].map((text) => Buffer.from(text))

type Mutation = (input: Buffer, random: Random, others: readonly Buffer[]) => Buffer

const at = (input: Buffer, random: Random) => Math.floor(random() * (input.length + 1))

/** A part of the input, at most 64 bytes long. */
function part(input: Buffer, random: Random): [from: number, to: number] {
  const from = at(input, random)
  return [from, Math.min(input.length, from + 1 + Math.floor(random() * 64))]
}

function replaced(input: Buffer, from: number, to: number, by: Uint8Array): Buffer {
  return Buffer.concat([input.subarray(0, from), by, input.subarray(to)])
}

const MUTATIONS: readonly Mutation[] = [
  function flipBit(input, random) {
    const copy = Buffer.from(input)
    const index = Math.floor(random() * input.length)
    if (input.length > 0) copy[index] = (copy[index] ?? 0) ^ (1 << Math.floor(random() * 8))
    return copy
  },
  function setByte(input, random) {
    const copy = Buffer.from(input)
    if (input.length > 0) copy[Math.floor(random() * input.length)] = Math.floor(random() * 256)
    return copy
  },
  function setNumber(input, random) {
    const copy = Buffer.from(input)
    const value = pick(random, [0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x80000000])
    if (copy.length >= 4) copy.writeUInt32LE(value, Math.floor(random() * (copy.length - 3)))
    return copy
  },
  function remove(input, random) {
    const [from, to] = part(input, random)
    return replaced(input, from, to, Buffer.alloc(0))
  },
  function repeat(input, random) {
    const [from, to] = part(input, random)
    const times = 1 + Math.floor(random() * 20)
    return replaced(input, to, to, Buffer.concat(Array(times).fill(input.subarray(from, to))))
  },
  function insertSnippet(input, random) {
    const place = at(input, random)
    return replaced(input, place, place, pick(random, SNIPPETS))
  },
  function replaceBySnippet(input, random) {
    const [from, to] = part(input, random)
    return replaced(input, from, to, pick(random, SNIPPETS))
  },
  function splice(input, random, others) {
    const other = pick(random, others)
    const [from, to] = part(input, random)
    return replaced(input, from, to, other.subarray(...part(other, random)))
  },
  function cut(input, random) {
    return input.subarray(0, at(input, random))
  },
]

/** A few changes, one on top of the other. Never more than 256 KiB. */
export function mutate(input: Buffer, random: Random, others: readonly Buffer[]): Buffer {
  const count = 1 + Math.floor(random() ** 2 * 8)
  let changed = input
  for (let i = 0; i < count; i++) changed = pick(random, MUTATIONS)(changed, random, others)
  return changed.subarray(0, 256 * 1024)
}
