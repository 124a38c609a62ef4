import { describe, expect, it } from 'vitest'
import type { Candidate, Measurement, Tool, ToolStatistics } from '../../model/index.ts'
import { createChooser } from './chooser.ts'
import type { ChoiceSettings } from './order.ts'

const CANDIDATES: readonly Candidate[] = ['a', 'b', 'c'].map((id) => ({
  id,
  kind: 'local',
  command: { file: id, args: [], cwd: '/', script: id },
}))
const TOOL = { name: 'it', version: '1.0.0' } as Tool // only these two are looked at

function setUp(
  given: Partial<ChoiceSettings> & { random?: () => number; history?: readonly ToolStatistics[] } = {},
) {
  const { random = () => 0.99, history = [], ...settings } = given
  let now = 1_000_000
  const chooser = createChooser({
    settings: () => ({ choose: 'on', explore: 2, coolDownMs: 30_000, ...settings }),
    history: () => history,
    now: () => now,
    random,
  })
  const order = () =>
    chooser
      .order(TOOL, CANDIDATES)
      .map(({ id }) => id)
      .join('')
  const heard = (implementation: string, reason?: string, more: Partial<Measurement> = {}) =>
    chooser.heard({
      tool: 'it',
      version: '1.0.0',
      implementation,
      ms: 10,
      ...(reason && { reason }),
      ...more,
    } as Measurement) // as much of it as is looked at
  return {
    chooser,
    order,
    heard,
    pass: (ms: number) => {
      now += ms
    },
  }
}

function known(implementation: string, more: Partial<ToolStatistics>): ToolStatistics {
  return {
    tool: 'it',
    version: '1.0.0',
    implementation,
    count: 100,
    errors: {},
    latency: { p50Ms: 10, p95Ms: 12, p99Ms: 15 },
    bytesIn: 0,
    bytesOut: 0,
    firstAt: 1,
    lastAt: 900_000,
    recent: { count: 100, errors: 0 },
    failuresInARow: 0,
    tests: null,
    ...more,
  }
}

describe('choosing an implementation', () => {
  it('Q117: without evidence the order of the package stands', () => {
    const { order, heard } = setUp()
    expect(order()).toBe('abc')
    heard('a')
    heard('b')
    expect(order()).toBe('abc')
  })

  it('Q117: a tool with one implementation is handed back as it is, and nothing is read', () => {
    const chooser = createChooser({
      settings: () => ({ choose: 'on', explore: 100, coolDownMs: 1 }),
      history: () => expect.fail('read'),
    })
    const one = CANDIDATES.slice(0, 1)
    expect(chooser.order(TOOL, one)).toBe(one)
  })

  it('Q117, Q125: what is known from before decides', () => {
    const slow = { latency: { p50Ms: 2_000, p95Ms: 2_100, p99Ms: 2_200 } }
    const { order } = setUp({
      history: [
        known('a', slow),
        known('b', {}),
        known('c', { recent: { count: 100, errors: 60 } }),
        known('a', { tool: 'other' }),
        known('c', { version: '2.0.0' }),
      ],
    })
    expect(order()).toBe('bac')
    expect(setUp({ choose: 'off', history: [known('a', slow), known('b', {})] }).order()).toBe('abc')
  })

  it('Q117, Q125: one that is proven passes those of which nothing is known', () => {
    const slow = { latency: { p50Ms: 2_000, p95Ms: 2_100, p99Ms: 2_200 } }
    expect(setUp({ history: [known('a', slow), known('c', {})] }).order()).toBe('cab')
  })

  it('Q117: one that keeps failing goes behind the next for a time that grows, then is tried once more', () => {
    const { order, heard, pass } = setUp()
    order()
    for (const _ of [1, 2]) heard('a', 'exit')
    expect(order()).toBe('abc')
    heard('a', 'exit')
    expect(order()).toBe('bca')
    pass(29_000)
    expect(order()).toBe('bca')
    pass(1_001)
    // One call tries it; those that come meanwhile do not.
    expect([order(), order()]).toEqual(['abc', 'bca'])
    heard('a', 'timeout')
    pass(31_000)
    expect(order()).toBe('bca')
    pass(30_000)
    expect(order()).toBe('abc')
    heard('a')
    expect(order()).toBe('abc')
  })

  it('Q117: a clock that is set back does not put it away for longer', () => {
    const { order, heard, pass } = setUp()
    order()
    for (const _ of [1, 2, 3]) heard('a', 'exit')
    pass(-900_000)
    expect([order(), order()]).toEqual(['abc', 'bca'])
    heard('a', 'exit')
    expect(order()).toBe('bca')
    pass(60_001)
    expect(order()).toBe('abc')
  })

  it('Q117: also when it could not start and the next one answered', () => {
    const { order, heard } = setUp()
    order()
    const passedOver = [{ implementation: 'a', message: 'gone' }]
    for (const _ of [1, 2, 3]) heard('b', undefined, { passedOver })
    expect(order()).toBe('bca')
  })

  it("Q117: a caller's mistakes do not speak against it", () => {
    const { order, heard } = setUp()
    order()
    for (const reason of ['input', 'cancelled', 'denied', 'input']) heard('a', reason)
    expect(order()).toBe('abc')
  })

  it('Q117: a few calls try one of which little is known, until enough is', () => {
    let next = 0.5
    const { order, heard } = setUp({ random: () => next })
    expect(order()).toBe('abc')
    next = 0.019
    expect(order()).toBe('bac')
    heard('b', 'exit')
    // One that has just failed is not the one to try.
    expect(order()).toBe('cab')
    for (let i = 0; i < 20; i++) heard('c')
    expect(order()).toBe('abc')
    expect(setUp({ random: () => 0, explore: 0 }).order()).toBe('abc')
  })

  it('Q117: a new version begins anew', () => {
    const { chooser, order, heard } = setUp()
    order()
    for (const _ of [1, 2, 3]) heard('a', 'exit')
    expect(order()).toBe('bca')
    const next = chooser.order({ ...TOOL, version: '1.1.0' }, CANDIDATES)
    expect(next.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })
})
