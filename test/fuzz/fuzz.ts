import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRandom, mutate, pick } from './mutate.ts'
import type { Target } from './target.ts'

const SEEDS = join(dirname(fileURLToPath(import.meta.url)), 'seeds')

/** Inputs that once broke something, and stay. */
export function keptSeeds({ name }: Target): readonly Buffer[] {
  const folder = join(SEEDS, name)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file)))
}

export interface FuzzResult {
  readonly inputs: number
  readonly accepted: number
}

/** Checks mutated inputs until one breaks a promise; that one is written to the kept seeds. */
export async function fuzz(target: Target, seed: number, budget: Budget): Promise<FuzzResult> {
  const random = createRandom(seed)
  const corpus = [...target.seeds(), ...keptSeeds(target)]
  const end = performance.now() + (budget.ms ?? Number.POSITIVE_INFINITY)
  let inputs = 0
  let accepted = 0
  while (inputs < (budget.inputs ?? Number.POSITIVE_INFINITY) && performance.now() < end) {
    const input = mutate(pick(random, corpus), random, corpus)
    inputs++
    if ((await checkOne(target, input, seed)) !== 'accepted') continue
    accepted++
    // What is still accepted is a good place to go on from.
    if (corpus.length < MOST_CORPUS) corpus.push(input)
  }
  return { inputs, accepted }
}

export interface Budget {
  readonly inputs?: number
  readonly ms?: number
}

const MOST_CORPUS = 500
/** For a machine that does other things at the same time. */
const PATIENCE = 20

export async function checkOne(target: Target, input: Buffer, seed?: number) {
  const begun = performance.now()
  try {
    const verdict = await target.check(input)
    const ms = performance.now() - begun
    if (ms > target.mostMs * PATIENCE) throw new Error(`took ${Math.round(ms)} ms`)
    return verdict
  } catch (error) {
    const file = seed === undefined ? undefined : keep(target, input)
    const from = file === undefined ? '' : ` (seed ${seed}, input kept as ${file})`
    throw new Error(`${target.name}: ${(error as Error).message}${from}`, { cause: error })
  }
}

function keep({ name }: Target, input: Buffer): string {
  const folder = join(SEEDS, name)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16))
  writeFileSync(file, input)
  return file
}
