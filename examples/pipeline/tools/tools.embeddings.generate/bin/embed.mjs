// A vector of a text. The arguments are on standard input as one JSON object: a text may be longer than a word can be.
import { readFileSync } from 'node:fs'

const { text, model } = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify({ embeddings: embed(text, Number(model.split('-').at(-1))) }))

/** Each feature adds one to or takes one from the place its hash names, so that collisions cancel out. */
function embed(text, dimensions) {
  const vector = new Array(dimensions).fill(0)
  for (const feature of featuresOf(text.toLowerCase())) {
    const hash = hashOf(feature)
    vector[hash % dimensions] += (hash >>> 31) & 1 ? 1 : -1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => Math.round((value / length) * 1e6) / 1e6)
}

/** Words, and the trigrams of each. */
function* featuresOf(text) {
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    yield word
    const padded = `_${word}_`
    for (let start = 0; start + 3 <= padded.length; start++) yield padded.slice(start, start + 3)
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text) {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}
