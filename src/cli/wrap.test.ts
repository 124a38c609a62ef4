import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wrapLine } from './wrap.ts'

it('continues a long line further in, and loses no word', () => {
  expect(wrapLine('  ! one two three four', 14)).toEqual(['  ! one two', '        three', '        four'])
  expect(wrapLine('  ! one two three four', undefined)).toEqual(['  ! one two three four'])
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 }), (words) => {
      const line = `    ${words.join(' ')}`
      const lines = wrapLine(line, 30)
      expect(lines.every((one) => one.length <= 30)).toBe(true)
      expect(lines.map((one) => one.trim()).join(' ')).toBe(words.join(' '))
    }),
  )
})

it('counts no colours', () => {
  const painted = `\u001b[31m${'x'.repeat(9)}\u001b[39m`
  expect(wrapLine(painted, 9)).toEqual([painted])
})
