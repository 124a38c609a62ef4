import type { ChainStep, FailureReason, JsonObject, Output } from '../../model/index.ts'
import type { Outcome } from '../executor.ts'

interface StepFailure {
  readonly reason: FailureReason
  readonly message: string
  readonly output?: Output
  /** Which of several values it was called for. */
  readonly item?: number | undefined
}

/** The failure of a chain: its step, the tool of that, and what the tool said. */
export function failAt(chain: string, { step, tool }: ChainStep, failure: StepFailure): Outcome {
  const { reason, item, output = { kind: 'none' } } = failure
  const where = item === undefined ? '' : `item ${item}: `
  const message = `\`${chain}\` failed at step \`${step}\` (\`${tool}\`): ${where}${failure.message}`
  // What a tool says about its own failure stands for the message, so the step is part of it.
  const content = reason === 'exit' ? [text(message), ...blocksOf(output)] : blocksOf(output)
  return {
    result: { ok: false, reason, message, output: { kind: 'content', content } },
    exitCode: null,
    bytesIn: 0,
    bytesOut: 0,
  }
}

function blocksOf(output: Output): readonly JsonObject[] {
  switch (output.kind) {
    case 'none':
      return []
    case 'value':
      return [text(JSON.stringify(output.value))]
    case 'streams': {
      const { stdout, stderr } = output
      return [
        ...(stdout.bytes > 0 ? [text(stdout.text)] : []),
        ...(stderr.bytes > 0 ? [text(`stderr: ${stderr.text}`)] : []),
      ]
    }
    case 'content':
      return output.content
  }
}

function text(words: string): JsonObject {
  return { type: 'text', text: words }
}
