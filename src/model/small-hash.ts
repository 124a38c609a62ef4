/**
 * SHA-1 and SHA-256 (FIPS 180-4) in so few steps that hashing a few short texts takes less time than loading
 * `node:crypto`. For anything long that one is faster.
 */
export function smallSha256(bytes: Uint8Array): string {
  const state = Int32Array.from(SHA256_START)
  eachBlock(bytes, (block) => mixSha256(state, block))
  return toHex(state)
}

export function smallSha1(bytes: Uint8Array): string {
  const state = Int32Array.from(SHA1_START)
  eachBlock(bytes, (block) => mixSha1(state, block))
  return toHex(state)
}

const BLOCK_BYTES = 64
/** Behind the bytes stand a bit and how many bits they are, at the end of a block. */
const ENDING_BYTES = 9
/** One for all: nothing else happens while something is hashed. */
const WORDS = new Int32Array(80)

function eachBlock(bytes: Uint8Array, mix: (words: Int32Array) => void): void {
  const { length } = bytes
  const padded = new Uint8Array(Math.ceil((length + ENDING_BYTES) / BLOCK_BYTES) * BLOCK_BYTES)
  padded.set(bytes)
  padded[length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29))
  view.setUint32(padded.length - 4, length << 3)
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    for (let word = 0; word < 16; word++) WORDS[word] = view.getInt32(at + word * 4)
    mix(WORDS)
  }
}

function mixSha256(state: Int32Array, w: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    let word = w[i] as number // they are all there, here and below
    if (i >= 16) {
      const near = w[i - 2] as number
      const far = w[i - 15] as number
      const s0 = ((far >>> 7) | (far << 25)) ^ ((far >>> 18) | (far << 14)) ^ (far >>> 3)
      const s1 = ((near >>> 17) | (near << 15)) ^ ((near >>> 19) | (near << 13)) ^ (near >>> 10)
      word = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0
      w[i] = word
    }
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + (SHA256_ROUNDS[i] as number) + word) | 0
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  add(state, [a, b, c, d, e, f, g, h])
}

function mixSha1(state: Int32Array, w: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
  for (let i = 0; i < 80; i++) {
    let word = w[i] as number // they are all there, here and below
    if (i >= 16) {
      const mixed =
        (w[i - 3] as number) ^ (w[i - 8] as number) ^ (w[i - 14] as number) ^ (w[i - 16] as number)
      word = (mixed << 1) | (mixed >>> 31)
      w[i] = word
    }
    const chosen =
      i < 20
        ? ((b & c) | (~b & d)) + 0x5a827999
        : i < 40
          ? (b ^ c ^ d) + 0x6ed9eba1
          : i < 60
            ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
            : (b ^ c ^ d) + 0xca62c1d6
    const next = (((a << 5) | (a >>> 27)) + chosen + e + word) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  add(state, [a, b, c, d, e])
}

function add(state: Int32Array, numbers: readonly number[]): void {
  for (let at = 0; at < numbers.length; at++)
    state[at] = ((state[at] as number) + (numbers[at] as number)) | 0
}

function toHex(state: Int32Array): string {
  let hex = ''
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, '0')
  return hex
}

const SHA1_START = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]

const SHA256_START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]

const SHA256_ROUNDS = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
])
