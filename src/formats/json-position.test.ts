import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonError } from './json-position.ts'

describe('findJsonError', () => {
  it.each([
    ['hello', 0],
    ['', 0],
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['[1, 2', 5],
    ['[1 2]', 3],
    ['{"a": tru}', 9],
    ['"line\nbreak"', 5],
    ['"\\x"', 2],
    ['"\\u12G4"', 5],
    ['01', 1],
    ['{} {}', 3],
    ['[}', 1],
    ["{'a': 1}", 1],
    ['"open', 5],
  ])('%j goes wrong at %d', (text, at) => {
    expect(findJsonError(text)).toBe(at)
  })

  it('agrees with JSON.parse on what is JSON, also when it is damaged', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), fc.nat(3))
      .map(([text, at, put, drop]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + put + text.slice(place + drop)
      })
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged, fc.string()), (text) => {
        expect(findJsonError(text) === undefined).toBe(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('does not mind depth or length', () => {
    expect(findJsonError(`${'['.repeat(200_000)}x`)).toBe(200_000)
    expect(findJsonError(`"${'x'.repeat(5_000_000)}`)).toBe(5_000_001)
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
