import type { Capsule } from '../../model/index.ts'
import { durationWords } from '../measure-words.ts'
import { type Life, PHASES } from './lifecycle.ts'
import type { Session } from './session.ts'

/** To follow the name of the capsule. */
export function notReadyWords(
  { startupTimeoutMs }: Capsule,
  { missing, lastWords }: Pick<Session, 'missing' | 'lastWords'>,
): string {
  const said = lastWords.all()
  const rest = said === '' ? 'It wrote nothing to stderr' : `It wrote to stderr: ${said}`
  return `did not ${missing()} within ${durationWords(startupTimeoutMs)}. ${rest}`
}

/** Why calls are refused, and the way out. */
export function stoppedWords(
  { name }: Capsule,
  life: Life,
  windowMs: number,
  lastError: string | null,
): string {
  const wayOut = `Start it again with \`orla capsule start ${name}\``
  if (life.stoppedBy !== 'limit') return `\`${name}\` was stopped by command. ${wayOut}`
  // The first crash is the whole story: nothing was tried again.
  if (Math.max(life.crashes.length, life.unready) === 1) return `\`${name}\` ${lastError}. ${wayOut}`
  return `\`${name}\` is stopped: it ${crashWords(life, windowMs)}. Last error: it ${lastError}. ${wayOut}`
}

function crashWords({ crashes, unready }: Life, windowMs: number): string {
  const isWindow = crashes.length >= unready
  const count = isWindow ? crashes.length : unready
  const times = count === 1 ? 'once' : `${count} times`
  return isWindow
    ? `crashed ${times} within ${durationWords(windowMs)}`
    : `failed ${times} in a row before it was ready`
}

interface News {
  /** What brought it about. */
  readonly words: string
  readonly windowMs: number
  /** Since its process was started. */
  readonly startMs: number
}

/** What to say when a capsule has come into another state; crashes and starts are told when they happen. */
export function newsOf(life: Life, { words, windowMs, startMs }: News): string | undefined {
  switch (PHASES[life.phase].state) {
    case 'CREATED':
      return 'stopped because it was idle'
    case 'READY':
      return `ready after ${durationWords(startMs)}`
    case 'RELOADING':
      return words
    case 'STOPPED':
      return life.stoppedBy === 'limit' ? `stopped: it ${crashWords(life, windowMs)}` : 'stopped'
    case 'STARTING':
    case 'CRASHED':
      return undefined
  }
}
