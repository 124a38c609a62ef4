import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { createLineBuffer, type LineBuffer } from './line-buffer.ts'
import { putBytes } from './put-bytes.ts'

function taken(lines: LineBuffer): string {
  let text = ''
  lines.empty((bytes) => {
    text = Buffer.from(bytes).toString()
    return true
  })
  return text
}

describe('a buffer of lines', () => {
  it('grows with what is put into it, and holds it in the order it came', () => {
    fc.assert(
      fc.property(fc.array(anyText()), (texts) => {
        const lines = createLineBuffer(4)
        for (const text of texts) {
          lines.text(text)
          const at = lines.size()
          lines.reach(putBytes(lines.room(4), at, Buffer.from('é10')))
        }
        const whole = texts.map((text) => `${text}é10`).join('')
        expect(lines.size()).toBe(Buffer.byteLength(whole))
        // Each is written for itself: halves of a pair do not find each other.
        expect(taken(lines)).toBe(texts.map((text) => `${text.toWellFormed()}é10`).join(''))
        expect(lines.size()).toBe(0)
      }),
    )
  })

  it('writes again what came after a place', () => {
    const lines = createLineBuffer(4)
    lines.text('secret ')
    const from = lines.size()
    lines.text('the secret is ö')
    lines.rewrite(from, (text) => text.replace('secret', '[nothing that anyone may read]'))
    expect(taken(lines)).toBe('secret the [nothing that anyone may read] is ö')
  })

  it('leaves bytes alone that someone still needs', () => {
    const lines = createLineBuffer(16)
    const kept: Uint8Array[] = []
    for (const text of ['one', 'two', 'three']) {
      lines.text(text)
      lines.empty((bytes) => {
        kept.push(bytes)
        return false
      })
    }
    expect(kept.map((bytes) => Buffer.from(bytes).toString())).toEqual(['one', 'two', 'three'])
  })
})
