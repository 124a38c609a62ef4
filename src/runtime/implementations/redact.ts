import {
  hiderOf,
  isJsonObject,
  type Json,
  type JsonObject,
  type Output,
  type Text,
} from '../../model/index.ts'
import type { Outcome } from '../executor.ts'

/** The outcome without the secrets that were used for it, in whatever spelling a server or a program repeats them. */
export function redact(outcome: Outcome, secrets: readonly string[]): Outcome {
  if (secrets.length === 0) return outcome
  const hide = hiderOf(secrets)
  const { result } = outcome
  const output = hideInOutput(result.output, hide)
  return {
    ...outcome,
    result: result.ok ? { ...result, output } : { ...result, output, message: hide(result.message) },
  }
}

type Hide = (text: string) => string

function hideInOutput(output: Output, hide: Hide): Output {
  switch (output.kind) {
    case 'none':
      return output
    case 'value':
      return { ...output, value: hideInJson(output.value, hide), stderr: hideInText(output.stderr, hide) }
    case 'streams':
      return { ...output, stdout: hideInText(output.stdout, hide), stderr: hideInText(output.stderr, hide) }
    case 'content': {
      const { structured } = output
      return {
        ...output,
        // Objects stay objects.
        content: output.content.map((block) => hideInJson(block, hide) as JsonObject),
        ...(structured !== undefined && { structured: hideInJson(structured, hide) as JsonObject }),
      }
    }
  }
}

/** What is not text is left as it is. */
function hideInText(said: Text, hide: Hide): Text {
  return said.encoding === 'utf8' ? { ...said, text: hide(said.text) } : said
}

function hideInJson(value: Json, hide: Hide): Json {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((item: Json) => hideInJson(item, hide))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [hide(key), hideInJson(inner, hide)]))
}
