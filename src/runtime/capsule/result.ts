import { isJsonObject, type Json, type JsonObject, NO_TEXT, type Output } from '../../model/index.ts'
import type { Outcome } from '../executor.ts'
import { sizeWords } from '../measure-words.ts'
import type { Answer } from './channel.ts'

/** What an answer of a capsule means for the call. */
export function outcomeOf(name: string, answer: Answer, outputBytes: number): Outcome['result'] {
  const fail = (reason: 'exit' | 'limit' | 'crashed', message: string) =>
    ({ ok: false, reason, message, output: { kind: 'none' } }) as const
  switch (answer.kind) {
    case 'error':
      return fail('exit', `\`${name}\` failed: ${answer.message}`)
    case 'too-long': {
      const [came, allowed] = [sizeWords(answer.bytes), sizeWords(outputBytes)]
      return fail('limit', `\`${name}\` answered with ${came}, more than the ${allowed} it may`)
    }
    case 'lost':
      return fail('crashed', answer.message)
    case 'result': {
      const output = outputOf(answer.result)
      if (output.kind !== 'content' || !isJsonObject(answer.result) || answer.result.isError !== true) {
        return { ok: true, output }
      }
      return { ok: false, reason: 'exit', message: `\`${name}\` reported an error`, output }
    }
  }
}

/** The protocol's own shape stays as it is; a text is what a program would have printed; all else is a value. */
function outputOf(result: Json): Output {
  if (typeof result === 'string') {
    const stdout = { text: result, encoding: 'utf8', bytes: Buffer.byteLength(result) } as const
    return { kind: 'streams', stdout, stderr: NO_TEXT, exitCode: 0, signal: null }
  }
  if (isJsonObject(result) && isContent(result.content)) {
    const { content, structuredContent: structured, _meta: meta } = result
    if (structured === undefined && meta === undefined) return { kind: 'content', content }
    return {
      kind: 'content',
      content,
      ...(isJsonObject(structured) && { structured }),
      ...(isJsonObject(meta) && { meta }),
    }
  }
  return { kind: 'value', value: result, stderr: NO_TEXT }
}

function isContent(value: Json | undefined): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject)
}
