import { type LocalCandidate, NO_TEXT } from '../../model/index.ts'
import type { Job, Outcome } from '../executor.ts'
import { readValue } from '../output.ts'
import type { RunProgram } from '../program.ts'

export type RunLocal = (candidate: LocalCandidate, job: Job, timeoutMs: number) => Promise<Outcome>

/** Linux takes 128 KiB in one word. Whoever may get more reads standard input, where everything always is. */
const MAX_WORD_BYTES = 100_000

/** A program that takes its arguments as one JSON text and prints its result as another. */
export function createLocalRunner(runProgram: RunProgram): RunLocal {
  return async ({ command }, job, timeoutMs) => {
    const json = JSON.stringify(job.arguments)
    const words = Buffer.byteLength(json) < MAX_WORD_BYTES ? [json] : []
    const outcome = await runProgram(command, { words, stdin: json, timeoutMs }, job)
    const { result } = outcome
    if (!result.ok) return outcome
    const { output } = result
    const read = readValue(output)
    if (typeof read === 'string') {
      const message = `\`${job.tool.name}\` ${read}`
      return { ...outcome, result: { ok: false, reason: 'output', message, output } }
    }
    const stderr = output.kind === 'streams' ? output.stderr : NO_TEXT
    return { ...outcome, result: { ok: true, output: { kind: 'value', value: read.value, stderr } } }
  }
}
