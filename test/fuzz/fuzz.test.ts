import { afterAll, describe, expect, it } from 'vitest'
import { checkOne, fuzz, keptSeeds } from './fuzz.ts'
import { archiveTargets } from './targets/archives.ts'
import { framingTargets } from './targets/framing.ts'
import { httpTarget } from './targets/http.ts'
import { jsonPathTarget } from './targets/jsonpath.ts'
import { textTargets } from './targets/texts.ts'
import { wordTargets } from './targets/words.ts'

/** `npm run fuzz` sets these; without them it is a short walk on a fixed path. */
const seconds = Number(process.env.ORLA_FUZZ_SECONDS ?? 0)
const seed = Number(process.env.ORLA_FUZZ_SEED ?? 20_261_115)
const only = process.env.ORLA_FUZZ_TARGET
const SHORT = { inputs: 400, ms: 4_000 }

const targets = [
  ...textTargets,
  ...wordTargets,
  jsonPathTarget,
  ...framingTargets,
  ...archiveTargets,
  httpTarget,
].filter(({ name }) => only === undefined || name === only)

it('knows the target that was asked for', () => {
  expect(targets).not.toHaveLength(0)
})

describe.each(targets)('$name', (target) => {
  afterAll(() => target.close?.())

  it('accepts what it is meant to be given', async () => {
    for (const input of target.seeds()) expect(await checkOne(target, input)).toBe('accepted')
  })

  it('keeps its promises for what once broke one', async () => {
    for (const input of keptSeeds(target)) await checkOne(target, input)
  })

  it(
    'keeps its promises whatever it is given',
    async () => {
      const budget = seconds > 0 ? { ms: seconds * 1_000 } : SHORT
      const { inputs, accepted } = await fuzz(target, seed, budget)
      expect(inputs).toBeGreaterThan(10)
      // Were nothing or everything accepted, little of the target would have been seen.
      expect(accepted).toBeLessThan(inputs)
      if (seconds > 0) console.log(`${target.name}: ${inputs} inputs, ${accepted} accepted, seed ${seed}`)
    },
    seconds * 1_000 + 60_000,
  )
})
