import { describe, expect, it } from 'vitest'
import { textOf } from './text.ts'

describe('textOf', () => {
  it('keeps UTF-8 as text and counts its bytes', () => {
    expect(textOf(Buffer.from('héllo'), false)).toEqual({ text: 'héllo', encoding: 'utf8', bytes: 6 })
    expect(textOf(Buffer.alloc(0), true)).toEqual({ text: '', encoding: 'utf8', bytes: 0 })
  })

  it('returns other bytes as base64', () => {
    expect(textOf(Buffer.from([0xff, 0xfe]), false)).toEqual({ text: '//4=', encoding: 'base64', bytes: 2 })
    expect(textOf(Buffer.from([0xff, 0xfe]), true)).toMatchObject({ encoding: 'base64' })
  })

  it.each([1, 2, 3])('leaves off %d bytes of a character that was cut', (bytes) => {
    const cut = Buffer.from('ab😀').subarray(0, 2 + bytes)
    expect(textOf(cut, true)).toEqual({ text: 'ab', encoding: 'utf8', bytes: 2 })
    expect(textOf(cut, false)).toMatchObject({ encoding: 'base64' })
  })
})
