import { type Job, type Outcome, type RunOf, refuse } from '../executor.ts'
import { durationWords } from '../measure-words.ts'
import { timeLimit } from '../time-limit.ts'
import type { Answer, Sent } from './channel.ts'
import type { Deadlines } from './deadlines.ts'
import { outcomeOf } from './result.ts'
import type { Supervisor } from './supervisor.ts'
import type { Turn } from './turns.ts'

/** A call nobody waits for keeps its place until it is answered, or this long. */
const ABANDONED_MS = 2_000

/** One call to a capsule: wait for a turn, ask, and take the first of answer, abort and timeout. */
export function callCapsule(
  { visit }: Pick<Supervisor, 'visit'>,
  run: RunOf<'capsule'>,
  job: Job,
  deadlines: Deadlines,
  /** What the caller gets of it. */
  conclude: (outcome: Outcome) => Outcome = (outcome) => outcome,
): Promise<Outcome> {
  const { tool, arguments: args, signal, progress, outputBytes } = job
  const { name } = tool
  const timeoutMs = timeLimit(run, job)
  if (signal.aborted) return Promise.resolve(conclude(cancelled(name)))
  return new Promise((resolve, reject) => {
    let clearDeadline = () => {}
    let abandon: ((why: string) => void) | undefined
    let isOver = false

    function finish(outcome: Outcome): void {
      if (isOver) return
      isOver = true
      clearDeadline()
      signal.removeEventListener('abort', onAbort)
      try {
        resolve(conclude(outcome))
      } catch (error) {
        reject(error) // Who hears it is the caller, not the channel that brought the answer.
      }
    }
    function onAbort(): void {
      giveUp()
      abandon?.('the caller cancelled the call')
      finish(cancelled(name))
    }
    function onTimeout(): void {
      abandon?.(`the call took longer than ${durationWords(timeoutMs)}`)
      finish(refuse('timeout', `\`${name}\` did not answer within ${durationWords(timeoutMs)}`))
    }

    function begin(turn: Turn): void {
      let release: NodeJS.Timeout | undefined
      let sent: Sent | undefined
      const onAnswer = (answer: Answer) => {
        clearTimeout(release)
        const bytesOut = answer.kind === 'lost' ? 0 : answer.bytes
        const result = outcomeOf(name, answer, outputBytes)
        finish({ result, exitCode: null, bytesIn: sent?.bytes ?? 0, bytesOut })
        turn.leave()
      }
      try {
        sent = turn.channel.request(
          'tools/call',
          (id) => {
            const params = { name: run.toolName, arguments: args }
            return progress ? { ...params, _meta: { progressToken: id } } : params
          },
          {
            onAnswer,
            onProgress: (step) => {
              if (!isOver) progress?.(step)
            },
          },
        )
      } catch (error) {
        // They nest too deeply: that is for this caller to hear, and the place is for the next one.
        finish(refuse('input', `the arguments of \`${name}\` cannot be sent: ${(error as Error).message}`))
        turn.leave()
      }
      if (isOver || sent === undefined) return
      const { id } = sent
      abandon = (reason) => {
        turn.channel.notify('notifications/cancelled', { requestId: id, reason })
        release = setTimeout(() => {
          turn.channel.forget(id)
          turn.leave()
        }, ABANDONED_MS)
      }
      if (timeoutMs > 0) clearDeadline = deadlines.set(timeoutMs, onTimeout)
    }

    signal.addEventListener('abort', onAbort)
    const giveUp = visit({ begin, refuse: (message) => finish(refuse('crashed', message)) })
  })
}

function cancelled(name: string): Outcome {
  return refuse('cancelled', `\`${name}\` was cancelled`)
}
