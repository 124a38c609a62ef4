import { hiderOf, isJsonObject, type Json, type JsonObject, type Output } from '../../model/index.ts'
import type { Outcome } from '../executor.ts'

/** The outcome without the secrets that were used for it, in whatever spelling a server repeats them. */
export function redact(outcome: Outcome, secrets: readonly string[]): Outcome {
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
  if (output.kind === 'value') return { ...output, value: hideInJson(output.value, hide) }
  if (output.kind !== 'content') return output
  // An object stays an object.
  return { ...output, content: output.content.map((block) => hideInJson(block, hide) as JsonObject) }
}

function hideInJson(value: Json, hide: Hide): Json {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((item: Json) => hideInJson(item, hide))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [hide(key), hideInJson(inner, hide)]))
}
