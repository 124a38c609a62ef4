import { realpathSync } from 'node:fs'
import { LOOK_NUMBERS, type LookAt } from '../platform/index.ts'
import { type Answer, type Piece, readAnswer } from './answer-file.ts'
import type { Question } from './question.ts'

/** What nobody looks at may have changed: once a day a list tells of newer versions. */
const LASTS_MS = 3_600_000

type Variables = Readonly<Record<string, string | undefined>>

export interface Asking {
  readonly question: Question
  readonly env: Variables
  /** In milliseconds since 1970. */
  readonly now: number
  readonly lookAt: LookAt
}

/** What was printed when this was asked before, if all that was looked at for it is as it was then. */
export function keptAnswer({ question, env, now, lookAt }: Asking): readonly Piece[] | undefined {
  const answer = readAnswer(question.file)
  if (answer === undefined || answer.question !== question.text) return undefined
  if (now < answer.made || now > answer.made + LASTS_MS) return undefined
  return sameVariables(answer, env) && sameEnds(answer) && sameFiles(answer, lookAt)
    ? answer.pieces
    : undefined
}

function sameVariables({ variables }: Answer, env: Variables): boolean {
  return Object.entries(variables).every(([name, value]) => (env[name] ?? null) === value)
}

function sameEnds({ ends }: Answer): boolean {
  try {
    return Object.entries(ends).every(([path, end]) => realpathSync.native(path) === end)
  } catch {
    return false
  }
}

function sameFiles({ paths, stamps }: Answer, lookAt: LookAt): boolean {
  const seen = new Float64Array(stamps.length / Float64Array.BYTES_PER_ELEMENT)
  return lookAt(paths, seen) * LOOK_NUMBERS === seen.length && Buffer.from(seen.buffer).equals(stamps)
}
