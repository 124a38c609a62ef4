import { type Json, NO_TEXT, type Output, type Tool } from '../../model/index.ts'
import type { Outcome } from '../executor.ts'
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
export function resultOf(tool: Tool, given: readonly (Given | undefined)[]): Outcome {
  const last = given.findLast((one) => one !== undefined)
  return { result: { ok: true, output: outputOf(tool, last) }, exitCode: null, bytesIn: 0, bytesOut: 0 }
}

/** Pictures and other content that no value can say pass as they are, where a value is not promised. */
function outputOf({ outputSchema }: Tool, last: Given | undefined): Output {
  const output = last?.output
  if (output?.kind === 'content' && (output.structured !== undefined || outputSchema === undefined))
    return output
  return { kind: 'value', value: last?.value ?? null, stderr: NO_TEXT }
}
