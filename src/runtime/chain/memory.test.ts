import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_TEXT, type Output } from '../../model/index.ts'
import { createMemory } from './memory.ts'

describe('what a chain remembers', () => {
  it('Q118: outputs for as long as the step says', () => {
    let now = 0
    const memory = createMemory(1_000_000, () => now)
    memory.keep('a', value('x'))
    now = 99
    expect(memory.recall('a', 100)).toEqual(value('x'))
    expect(memory.recall('a', 99)).toBeUndefined()
    now = 100
    expect(memory.recall('a', 100)).toBeUndefined()
    expect(memory.recall('b', 100)).toBeUndefined()
  })

  it('Q118: what was not asked for longest goes first', () => {
    const memory = createMemory(10 * size('x'.repeat(10)) + 10)
    for (let index = 0; index < 10; index++) memory.keep(String(index), value('x'.repeat(10)))
    memory.recall('0', 1000)
    memory.keep('next', value('x'.repeat(10)))
    expect(memory.recall('0', 1000)).toBeDefined()
    expect(memory.recall('1', 1000)).toBeUndefined()
    expect(memory.recall('next', 1000)).toBeDefined()
  })

  it('Q118: never more than there is room for, and the newest is there unless it is large by itself', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(400))), (kept) => {
        const memory = createMemory(2_000)
        for (const [key, length] of kept) {
          memory.keep(`${key}`, value('x'.repeat(length)))
          const isThere = memory.recall(`${key}`, 1_000_000) !== undefined
          expect(isThere).toBe(`${key}`.length + size('x'.repeat(length)) <= 500)
        }
        const sizes = Array.from({ length: 21 }, (_, key) => memory.recall(`${key}`, 1_000_000)).map(
          (output) => (output === undefined ? 0 : JSON.stringify(output).length),
        )
        expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(2_000)
      }),
    )
  })
})

function value(text: string): Output {
  return { kind: 'value', value: text, stderr: NO_TEXT }
}

function size(text: string): number {
  return JSON.stringify(value(text)).length
}
