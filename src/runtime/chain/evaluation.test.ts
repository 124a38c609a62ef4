import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadJsonPath } from '../../formats/index.ts'
import type { ChainStep, Json, JsonObject, StepInput } from '../../model/index.ts'
import { eachInOrder } from './each.ts'
import { mapInput } from './mapping.ts'
import { placesOf, runInOrder } from './schedule.ts'

const jsonPath = await loadJsonPath()
const KEYS = ['a', 'b', '__proto__', 'toString', 'ü', 'a b']
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
const key = fc.constantFrom(...KEYS)
const scope = fc.dictionary(key, fc.dictionary(key, json)).map((value) => value as JsonObject)

describe('the arguments of a step', () => {
  it('Q120: a path gives what is there, and nothing else', () => {
    fc.assert(
      fc.property(scope, key, key, key, (root, first, second, name) => {
        const path = `$[${JSON.stringify(first)}][${JSON.stringify(second)}]`
        const mapped = map(root, [[name, { kind: 'path', path }]])
        const outer = Object.hasOwn(root, first) ? (root[first] as JsonObject) : {}
        if (Object.hasOwn(outer, second)) expect(own(mapped, name)).toEqual(outer[second])
        else expect(Object.keys(mapped)).toEqual([])
      }),
    )
  })

  it('Q120: one is a value, several are a list in order, none is left out', () => {
    fc.assert(
      fc.property(fc.array(json), (list) => {
        const mapped = map({ input: list }, [['x', { kind: 'path', path: '$.input[*]' }]])
        if (list.length === 0) expect(mapped).toEqual({})
        else expect(mapped).toEqual({ x: list.length === 1 ? list[0] : list })
      }),
    )
  })

  it('Q120: a literal stands for itself', () => {
    fc.assert(
      fc.property(key, json, (name, value) => {
        expect(own(map({}, [[name, { kind: 'literal', value }]]), name)).toEqual(value)
      }),
    )
  })

  it('Q120: a path that takes too long is a problem', () => {
    const deep = { input: Array.from({ length: 2000 }, () => ({ a: [1, 2, 3] })) }
    const input = { x: { kind: 'path', path: '$..[?$..a]' } } as const
    expect(mapInput({ input }, deep, jsonPath)).toEqual({
      problem: 'the path `$..[?$..a]` takes too long on this value',
    })
  })
})

describe('the order of steps', () => {
  const steps = fc.array(fc.record({ uses: fc.array(fc.nat(20)), parallel: fc.boolean(), open: fc.nat(9) }), {
    maxLength: 12,
  })

  it('Q119: without `parallel` each waits for all before it', () => {
    fc.assert(
      fc.property(steps, (made) => {
        const plain = chainOf(made.map((one) => ({ ...one, parallel: false })))
        const places = placesOf(plain)
        const waited = (index: number): number[] =>
          (places[index]?.waitsFor ?? []).flatMap((other) => [other, ...waited(other)])
        expect(plain.map((_, index) => waited(index).sort((a, b) => a - b))).toEqual(
          plain.map((_, index) => upTo(index)),
        )
      }),
    )
  })

  it('Q119: whatever runs beside whatever, each step sees the same as in order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.scheduler(), async (made, scheduler) => {
        const chain = chainOf(made)
        const seen = await scheduler.waitFor(
          evaluate(chain, (index) => scheduler.schedule(Promise.resolve(), `step ${index}`)),
        )
        expect(seen).toEqual(await evaluateAll(chain))
      }),
    )
  })

  it('Q118: a step with forEach keeps the order, and never runs more at once than it may', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer()),
        fc.integer({ min: 1, max: 5 }),
        fc.scheduler(),
        async (values, most, scheduler) => {
          let running = 0
          const all = eachInOrder(values, most, async (value, index) => {
            running++
            expect(running).toBeLessThanOrEqual(most)
            await scheduler.schedule(Promise.resolve(), `item ${index}`)
            running--
            return [value, index]
          })
          await scheduler.waitFor(all)
          expect(await all).toEqual(values.map((value, index) => [value, index]))
        },
      ),
    )
  })

  it('a step that throws is heard when all others are done', async () => {
    const ended: number[] = []
    const places = [[], [], [0]].map((waitsFor) => ({ waitsFor, looksAt: [] }))
    const running = runInOrder(places, async (index) => {
      if (index === 0) throw new Error('a bug')
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(index)
    })
    await expect(running).rejects.toThrow('a bug')
    expect(ended).toEqual([1])
  })
})

interface Made {
  readonly uses: readonly number[]
  readonly parallel: boolean
  /** 0: it looks at everything. */
  readonly open: number
}

/** Steps that use some of those before them, by either name. */
function chainOf(made: readonly Made[]): ChainStep[] {
  return made.map(({ uses, parallel, open }, index) => {
    const paths = uses
      .filter((used) => used < index)
      .map((used, at) => (at % 2 === 0 ? `$.s${used}` : `$['k${used}']`))
    const all = open === 0 ? [...paths, '$[*]'] : paths
    return {
      step: `s${index}`,
      tool: 't',
      input: Object.fromEntries(all.map((path, at) => [`x${at}`, { kind: 'path', path } as const])),
      outputKey: `k${index}`,
      concurrency: 4,
      retry: 0,
      optional: false,
      parallel,
    }
  })
}

/** Each step gives its number and its arguments, as far as it looks. */
async function evaluate(
  steps: readonly ChainStep[],
  wait: (index: number) => Promise<void>,
): Promise<Json[]> {
  const given: Json[] = []
  const places = placesOf(steps)
  await runInOrder(places, async (index) => {
    await wait(index)
    given[index] = outputOf(steps, index, places[index]?.looksAt ?? [], given)
  })
  return given
}

/** The same in order, with everything before a step in its sight. */
async function evaluateAll(steps: readonly ChainStep[]): Promise<Json[]> {
  const given: Json[] = []
  for (const index of steps.keys()) given[index] = outputOf(steps, index, upTo(index), given)
  return given
}

function outputOf(
  steps: readonly ChainStep[],
  index: number,
  seen: readonly number[],
  given: readonly Json[],
): Json {
  const scope = Object.fromEntries(
    seen.flatMap((earlier) => {
      const [step, value] = [steps[earlier], given[earlier]]
      if (step === undefined || value === undefined) return []
      return [[step.step, value] as const, [step.outputKey, value] as const]
    }),
  )
  const mapped = mapInput(steps[index] ?? { input: {} }, scope, jsonPath)
  // A digest stands for the value: lists of lists would grow beyond all bounds.
  return createHash('sha256')
    .update(`${index} ${JSON.stringify(mapped)}`)
    .digest('hex')
}

function map(root: JsonObject, input: readonly (readonly [string, StepInput])[]): JsonObject {
  const mapped = mapInput({ input: Object.fromEntries(input) }, root, jsonPath)
  return 'value' in mapped ? mapped.value : { problem: mapped.problem }
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? Object.getOwnPropertyDescriptor(object, name)?.value : undefined
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
