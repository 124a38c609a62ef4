import { type Json, NO_TEXT, type Output, type Tool } from '../../model/index.ts'
import type { Job, Outcome } from '../executor.ts'
import type { Given } from './call-step.ts'

/** What later steps see of an output. */
export function stepValue(output: Output): Json {
  switch (output.kind) {
    case 'none':
      return null
    case 'value':
      return output.value
    case 'streams': {
      const { stdout, stderr, exitCode } = output
      return {
        stdout: stdout.text,
        stderr: stderr.text,
        exit_code: exitCode,
        ...(stdout.encoding === 'base64' && { stdout_encoding: 'base64' }),
        ...(stderr.encoding === 'base64' && { stderr_encoding: 'base64' }),
      }
    }
    case 'content': {
      if (output.structured !== undefined) return output.structured
      return output.content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n')
    }
  }
}

/** The output of the last step; of those that were not left out. */
export function resultOf(
  job: Pick<Job, 'tool' | 'arguments'>,
  given: readonly (Given | undefined)[],
): Outcome {
  const last = given.findLast((one) => one !== undefined)
  return {
    result: { ok: true, output: outputOf(job.tool, last) },
    exitCode: null,
    bytesIn: sizeOf(job.arguments),
    bytesOut: sizeOf(last?.output?.kind === 'content' ? last.output.content : (last?.value ?? null)),
  }
}

/** What a chain is given and gives goes through no pipe that counts: so many bytes it would be there. */
export function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Pictures and other content that no value can say pass as they are, where a value is not promised. */
function outputOf({ outputSchema }: Tool, last: Given | undefined): Output {
  const output = last?.output
  if (output?.kind === 'content' && (output.structured !== undefined || outputSchema === undefined))
    return output
  return { kind: 'value', value: last?.value ?? null, stderr: NO_TEXT }
}
