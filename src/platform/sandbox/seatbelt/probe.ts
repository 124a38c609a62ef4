import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessEnd, ProcessStarter } from '../../process/starter.ts'
import { programPrefixes } from '../interpreter.ts'
import { SandboxRefusal } from '../refusal.ts'
import { type Canary, openCanary } from './canary.ts'
import { confineWithSeatbelt } from './confine.ts'
import { ATTEMPTS, type Attempt, GRANTED, makeTrial, readAttempts, type Trial } from './trial.ts'

export interface SeatbeltProbeOptions {
  readonly starter: ProcessStarter
  /** The `sandbox-exec` of the system. */
  readonly command: string
  /** Only Orla's. */
  readonly folder: string
  readonly timeoutMs?: number
}

/**
 * Why `sandbox-exec` does not hold programs here; undefined when it does. A program tries what it may and what it may
 * not, first with nothing around it, where it must reach all of that: otherwise being refused would prove nothing.
 */
export async function probeSeatbelt(options: SeatbeltProbeOptions): Promise<string | undefined> {
  const place = realpathSync.native(mkdtempSync(join(tmpdir(), 'orla-seatbelt-')))
  let canary: Canary | undefined
  try {
    canary = await openCanary(place)
    return await tryOut(
      canary,
      makeTrial(place, canary.port, canary.socket, options.timeoutMs ?? LONGEST_MS),
      options,
    )
  } catch (error) {
    // The system did not let it be tried, or a path cannot be named.
    if (error instanceof SandboxRefusal || (error as NodeJS.ErrnoException).code !== undefined) {
      return (error as Error).message
    }
    throw error
  } finally {
    canary?.close()
    rmSync(place, { recursive: true, force: true })
  }
}

const LONGEST_MS = 10_000

async function tryOut(
  canary: Canary,
  trial: Trial,
  { starter, command, folder }: SeatbeltProbeOptions,
): Promise<string | undefined> {
  const { profile, request } = trial
  const free = readAttempts((await starter.run(request)).stdout.toString())
  const unreached = ALL.filter((attempt) => !free?.has(attempt))
  if (unreached.length > 0) return `it cannot be tried: outside of it no program ${inWords(unreached)}`
  trial.reset()
  const before = canary.reached()
  const confined = confineWithSeatbelt(request, profile, { command, folder, prefixes: nodeAt(trial) })
  try {
    const end = await starter.run({ ...request, ...confined.program })
    const came = readAttempts(end.stdout.toString())
    if (end.exitCode !== 0 || came === undefined) return whyNot(end)
    const open = ALL.filter((attempt) => !GRANTED.includes(attempt)).filter(
      (attempt) => came.has(attempt) || trial.left().includes(attempt),
    )
    if (open.length > 0) return `it does not hold: a program in it ${inWords(open)}`
    if (canary.reached() > before) return `it does not hold: a program in it ${ATTEMPTS.tcp}`
    const lost = GRANTED.filter((attempt) => !came.has(attempt))
    return lost.length === 0 ? undefined : `it holds too much: no program in it ${inWords(lost)}`
  } finally {
    await confined.close()
  }
}

const ALL = Object.keys(ATTEMPTS) as Attempt[] // the keys of a constant

function inWords(attempts: readonly Attempt[]): string {
  return attempts.map((attempt) => ATTEMPTS[attempt]).join(', ')
}

/** A Node that lies alone in the home folder does not take its surroundings along. */
function nodeAt({ request, profile }: Trial): readonly string[] {
  try {
    return programPrefixes(request, profile)
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error
    return [request.file]
  }
}

function whyNot({ cause, stderr, error }: ProcessEnd): string {
  if (cause === 'timeout') return 'a program in it did not end'
  const said = stderr.toString('utf8').trim().split('\n').at(-1)
  return said || error?.message || 'a program in it did not do what it should'
}
