import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { escapeControls, nearest, oneLine } from './text.ts'

describe('text for people', () => {
  it('shows control sequences instead of obeying them', () => {
    expect(escapeControls('a\u001b[2Jb\rc\u009bd\u202ee\u200bf\u{e0041}')).toBe(
      'a\\x1b[2Jb\\x0dc\\x9bd\\u{202e}e\\u{200b}f\\u{e0041}',
    )
    expect(escapeControls('tab\tand\nline stay, ünïcode 漢字 🎉 too')).toBe(
      'tab\tand\nline stay, ünïcode 漢字 🎉 too',
    )
  })

  it('never leaves a control character or a second line', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(oneLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/)
      }),
    )
  })
})

describe('the nearest candidate', () => {
  it.each([
    ['lst', 'list'],
    ['serv', 'serve'],
    ['isntall', 'install'],
    ['tols_dir', 'tools_dir'],
  ])('for %s is %s', (typed, meant) => {
    expect(nearest(typed, ['serve', 'list', 'install', 'tools_dir', 'timeout'])).toBe(meant)
  })

  it('is nothing when nothing is close', () => {
    expect(nearest('zebra', ['serve', 'list'])).toBeUndefined()
    expect(nearest('', ['serve'])).toBeUndefined()
  })
})
