import type { Json, JsonObject, Output } from '../../model/index.ts'

/** What a test looks at: the structured value, JSON that was printed, or the streams. */
export function resultValue(output: Output): Json {
  switch (output.kind) {
    case 'value':
      return output.value
    case 'none':
      return null
    case 'content':
      return output.structured ?? contentValue(output.content)
    case 'streams': {
      const { stdout, stderr, exitCode } = output
      const streams = { stdout: stdout.text, stderr: stderr.text, exit_code: exitCode }
      return jsonOr(streams, stdout.text)
    }
  }
}

/** One text block that is JSON stands for its value. */
function contentValue(content: readonly JsonObject[]): Json {
  const [only, ...more] = content
  const whole = { content: [...content] }
  return more.length === 0 && typeof only?.text === 'string' ? jsonOr(whole, only.text) : whole
}

function jsonOr(otherwise: Json, text: string): Json {
  try {
    return JSON.parse(text) as Json // JSON.parse yields nothing else
  } catch {
    return otherwise
  }
}
