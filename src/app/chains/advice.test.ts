import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ChainStep } from '../../model/index.ts'
import { adviseOn } from './advice.ts'

function step(name: string, uses: readonly string[], more: Partial<ChainStep> = {}): ChainStep {
  const input = Object.fromEntries(uses.map((use) => [use, { kind: 'path', path: `$.${use}` } as const]))
  return {
    step: name,
    tool: `tool-${name}`,
    input,
    outputKey: name,
    retry: 0,
    optional: false,
    parallel: false,
    concurrency: 4,
    ...more,
  }
}

const MS: Readonly<Record<string, number>> = { 'tool-a': 100, 'tool-b': 50, 'tool-c': 80, 'tool-d': 10 }

it('Q122: steps that do not use each other may run together, and it says what that saves here', () => {
  const steps = [step('a', ['input']), step('b', ['a']), step('c', ['a']), step('d', ['b', 'c'])]
  expect(adviseOn(steps, (tool) => MS[tool])).toEqual({ parallel: ['b'], now_ms: 240, then_ms: 190 })
})

it('Q122: what is not known is not told in figures', () => {
  const steps = [step('a', ['input']), step('b', ['input'])]
  expect(adviseOn(steps, () => undefined)).toEqual({ parallel: ['a'], now_ms: null, then_ms: null })
})

it('Q122: a chain in which each step needs the one before is as fast as it can be', () => {
  const steps = [step('a', ['input']), step('b', ['a']), step('c', ['b'])]
  expect(adviseOn(steps, (tool) => MS[tool])).toBeUndefined()
})

it('Q122: property: it never promises a chain that takes longer, or one shorter than its longest step', () => {
  const chains = fc.array(fc.record({ uses: fc.array(fc.nat(7)), ms: fc.integer({ min: 1, max: 1_000 }) }), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(chains, (drawn) => {
      const steps = drawn.map(({ uses }, index) =>
        step(
          `s${index}`,
          [...new Set(uses.filter((use) => use < index))].map((use) => `s${use}`),
        ),
      )
      const times = new Map(steps.map(({ tool }, index) => [tool, drawn[index]?.ms ?? 0]))
      const advice = adviseOn(steps, (tool) => times.get(tool))
      if (advice === undefined) return
      expect(advice.then_ms).toBeLessThan(advice.now_ms ?? 0)
      expect(advice.then_ms).toBeGreaterThanOrEqual(Math.max(...times.values()))
    }),
  )
})
