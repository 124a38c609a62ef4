import { findJsonError } from '../formats/index.ts'
import type { Json, JsonSchema, Output, Tool } from '../model/index.ts'
import { NO_TEXT } from '../model/index.ts'
import type { Outcome } from './executor.ts'
import { validateOutput } from './validate.ts'

/** What a tool with an output schema returned must be JSON that fits it. A failure stays what it is. */
export async function checkOutput(tool: Tool, outcome: Outcome): Promise<Outcome> {
  const { result } = outcome
  if (!result.ok || tool.outputSchema === undefined) return outcome
  const checked = await fitOutput(tool.outputSchema, result.output)
  if (typeof checked !== 'string') return { ...outcome, result: { ok: true, output: checked } }
  const message = `\`${tool.name}\` ${checked}`
  return { ...outcome, result: { ok: false, reason: 'output', message, output: result.output } }
}

/** The value, or what is wrong with it. */
async function fitOutput(schema: JsonSchema, output: Output): Promise<Output | string> {
  const parsed = readValue(output)
  if (typeof parsed === 'string') return parsed
  const validation = await validateOutput(schema, parsed.value)
  switch (validation.kind) {
    case 'fits':
      if (output.kind === 'content') return output
      return { kind: 'value', value: parsed.value, stderr: output.kind === 'none' ? NO_TEXT : output.stderr }
    case 'misfit':
      return `${output.kind === 'streams' ? 'printed' : 'returned'} JSON that does not fit its output schema: ${validation.problems.join('; ')}`
    case 'bad-schema':
      return `has an output schema that cannot be used: ${validation.problem}`
  }
}

/** The JSON that a tool returned or printed, or why there is none. */
export function readValue(output: Output): { readonly value: Json } | string {
  if (output.kind === 'value') return output
  if (output.kind === 'content') {
    return output.structured === undefined
      ? 'returned no structured content, as its output schema asks for'
      : { value: output.structured }
  }
  if (output.kind === 'none' || output.stdout.text.trim() === '') {
    return 'printed nothing, but its output schema asks for JSON'
  }
  if (output.stdout.encoding !== 'utf8')
    return 'printed bytes that are not UTF-8, but its output schema asks for JSON'
  const { text } = output.stdout
  try {
    return { value: JSON.parse(text) as Json }
  } catch {
    return `did not print JSON, as its output schema asks for: ${describeJsonError(text)}`
  }
}

function describeJsonError(text: string): string {
  const at = findJsonError(text) ?? text.length
  const before = text.slice(0, at).split('\n')
  const where = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
  return at >= text.length
    ? `it ends too early at ${where}`
    : `unexpected ${JSON.stringify(char)} at ${where}`
}
