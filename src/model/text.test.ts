import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { editDistance, escapeControls, nearest, oneLine } from './text.ts'

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

describe('the distance of two words', () => {
  /** As it is defined, of all beginnings of both. */
  function plainly(a: string, b: string): number {
    const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
    const at = (i: number, j: number) => rows[i]?.[j] ?? 0
    for (let i = 1; i <= a.length; i++) {
      rows[i] = [i]
      for (let j = 1; j <= b.length; j++) {
        const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
        const costs = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)]
        rows[i]?.push(Math.min(...costs, isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY))
      }
    }
    return at(a.length, b.length)
  }

  it('Q117: counts letters that are missing, too many, other ones or in each other’s place, up to a cap', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ü'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 5 }), (a, b, cap) => {
        expect(editDistance(a, b, cap)).toBe(Math.min(cap, plainly(a, b)))
      }),
      { numRuns: 2_000 },
    )
  })
})
