import type { Candidate, Output, PassedOver, Text, Tool } from '../../model/index.ts'
import { type Executor, type Job, type Outcome, refuse } from '../executor.ts'
import { timeLimit } from '../time-limit.ts'
import type { RunHttp } from './http.ts'
import type { RunLocal } from './local.ts'

/** Which candidate to try first. */
export type OrderCandidates = (tool: Tool, candidates: readonly Candidate[]) => readonly Candidate[]

interface Deps {
  readonly runLocal: RunLocal
  readonly runHttp: RunHttp
  readonly order: OrderCandidates
}

/** Tries the implementations of a tool until one starts. What one does wrong after that is its result. */
export function createImplementationsExecutor(deps: Deps): Executor<'implementations'> {
  const { runLocal, runHttp, order } = deps

  function runOne(candidate: Candidate, job: Job, usualMs: number | undefined): Promise<Outcome> {
    const own = candidate.timeoutMs
    return candidate.kind === 'local'
      ? runLocal(candidate, job, timeLimit({ timeoutMs: own ?? usualMs }, job))
      : runHttp(candidate, job, timeLimit({ timeoutMs: own ?? candidate.endpoint.timeoutMs ?? usualMs }, job))
  }

  return async (run, job) => {
    const { name } = job.tool
    const passedOver: PassedOver[] = []
    const candidates = order(job.tool, run.candidates)
    let last = refuse('spawn', `\`${name}\` cannot start: none of its implementations fits this machine`)
    for (const candidate of candidates) {
      const { id } = candidate
      const outcome = await runOne(candidate, job, run.timeoutMs)
      last = { ...outcome, implementation: id }
      if (!couldNotStart(outcome) || job.signal.aborted) return mention(last, passedOver)
      passedOver.push({ implementation: id, message: whyNot(name, outcome) })
    }
    return candidates.length < 2 ? last : noneStarted(name, last, passedOver)
  }
}

/** What a shell says about a program it does not find (127) or may not run (126). */
const NEVER_RAN: readonly (number | null)[] = [126, 127]

function couldNotStart({ result }: Outcome): boolean {
  if (result.ok) return false
  if (result.reason === 'spawn') return true
  const { reason, output } = result
  if (reason !== 'exit' || output.kind !== 'streams') return false
  return NEVER_RAN.includes(output.exitCode) && output.stdout.bytes === 0
}

function whyNot(name: string, { result }: Outcome): string {
  if (result.ok) return ''
  const { message, output } = result
  const lastLine = output.kind === 'streams' ? output.stderr.text.trimEnd().split('\n').at(-1) : undefined
  const short = message.replace(`\`${name}\` `, '').replace(/^cannot start: /, '')
  return lastLine ? `${short}: ${lastLine.slice(0, 300)}` : short
}

function noneStarted(name: string, last: Outcome, passedOver: readonly PassedOver[]): Outcome {
  const reasons = passedOver.map(({ implementation, message }) => `\`${implementation}\`: ${message}`)
  const message = `\`${name}\` cannot start: none of its implementations does. ${reasons.join('. ')}`
  const { output } = last.result
  return { ...last, result: { ok: false, reason: 'spawn', message, output }, passedOver }
}

/** Whoever reads the result learns which ones were tried before, in the place for remarks. */
function mention(outcome: Outcome, passedOver: readonly PassedOver[]): Outcome {
  if (passedOver.length === 0) return outcome
  const used = `\`${outcome.implementation}\` was used`
  const lines = passedOver.map(
    ({ implementation, message }) =>
      `implementation \`${implementation}\` could not start (${message}); ${used}\n`,
  )
  const { result } = outcome
  return { ...outcome, result: { ...result, output: remark(result.output, lines.join('')) }, passedOver }
}

function remark(output: Output, words: string): Output {
  if (output.kind !== 'value' && output.kind !== 'streams') return output
  return { ...output, stderr: inFront(words, output.stderr) }
}

function inFront(words: string, text: Text): Text {
  if (text.encoding !== 'utf8') return text
  return { ...text, text: words + text.text, bytes: Buffer.byteLength(words) + text.bytes }
}
