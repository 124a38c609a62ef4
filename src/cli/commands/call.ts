import { callOnce, readAll } from '../../app/index.ts'
import {
  type CallResult,
  ERRORS,
  type ErrorCode,
  type FailureReason,
  isJsonObject,
  isTextTooDeep,
  type Json,
  type JsonObject,
  MAX_DEPTH,
  NO_TEXT,
  OrlaError,
  type Output,
  type Text,
  type Tool,
} from '../../model/index.ts'
import type { Handler, Input } from '../command.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'
import { wayToCall } from '../way-to-call.ts'

export const callCommand: Handler = async (input, { world, printer, program }) => {
  const name = input.positionals[0] ?? ''
  const written = input.positionals[1] === '-' ? await readAll(world.stdin) : input.positionals[1]
  const base = written === undefined ? {} : parseArguments(written)
  let called: Tool | undefined
  const result = await callOnce(
    world,
    configRequest(input),
    name,
    (tool) => {
      called = tool
      return { ...base, ...namedArguments(input, tool) }
    },
    (problem) => printer.note(`warning: ${problem}`),
  )
  if (input.flag('json')) printer.json(forScripts(result))
  else printForPeople(printer, result, called && wayToCall(program, called))
  return result.ok ? 0 : ERRORS[FAILURE_CODES[result.reason]].exit
}

const FAILURE_CODES = {
  input: 'E_TOOL_INPUT',
  exit: 'E_TOOL_FAILED',
  spawn: 'E_TOOL_START',
  timeout: 'E_TOOL_TIMEOUT',
  cancelled: 'E_INTERRUPTED',
  output: 'E_TOOL_FAILED',
  limit: 'E_TOOL_FAILED',
  crashed: 'E_TOOL_CRASHED',
  denied: 'E_REFUSED',
} as const satisfies Record<FailureReason, ErrorCode>

function parseArguments(written: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(written)
  } catch (error) {
    throw new OrlaError('E_USAGE', `the arguments are not JSON: ${(error as Error).message}`, {
      hint: `write them as '{"key":"value"}', or use --arg key=value`,
    })
  }
  refuseDeep(written)
  if (isJsonObject(value)) return value
  throw new OrlaError('E_USAGE', 'the arguments must be a JSON object', { hint: `such as '{"key":"value"}'` })
}

/** `--arg k=v`: text, unless the tool declares another type; `k:=v` is JSON in any case. */
function namedArguments(input: Input, tool: Tool): JsonObject {
  const named: Record<string, Json> = {}
  for (const word of input.all('arg')) {
    const [, key, assign, value] = /^([^=:]+)(:?=)([\s\S]*)$/.exec(word) ?? []
    if (key === undefined || value === undefined) {
      throw new OrlaError('E_USAGE', `--arg ${word} is not of the form key=value`)
    }
    named[key] = assign === ':=' ? parseJson(value, word) : asDeclared(tool, key, value)
  }
  return named
}

function parseJson(value: string, word: string): Json {
  refuseDeep(value)
  try {
    return JSON.parse(value) as Json // JSON.parse yields nothing else
  } catch {
    throw new OrlaError('E_USAGE', `--arg ${word}: what stands behind := is not JSON`)
  }
}

function refuseDeep(json: string): void {
  if (isTextTooDeep(json))
    throw new OrlaError('E_USAGE', `the arguments nest deeper than ${MAX_DEPTH} levels`)
}

function asDeclared(tool: Tool, key: string, value: string): Json {
  const properties = tool.inputSchema?.properties
  const property = isJsonObject(properties) ? properties[key] : undefined
  const type = isJsonObject(property) ? property.type : undefined
  if (type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string')))
    return value
  refuseDeep(value)
  try {
    return JSON.parse(value) as Json // JSON.parse yields nothing else
  } catch {
    return value // validation says what was expected
  }
}

function forScripts(result: CallResult) {
  const { output } = result
  const streams = output.kind === 'streams' ? output : undefined
  return {
    ok: result.ok,
    reason: result.ok ? null : result.reason,
    message: result.ok ? null : result.message,
    stdout: streams?.stdout.text ?? null,
    stdout_encoding: streams?.stdout.encoding ?? null,
    stderr: stderrOf(output)?.text ?? null,
    exit_code: output.kind === 'value' ? 0 : (streams?.exitCode ?? null),
    signal: streams?.signal ?? null,
    structured:
      output.kind === 'value' ? output.value : output.kind === 'content' ? (output.structured ?? null) : null,
    content: output.kind === 'content' ? output.content : null,
    duration_ms: Math.round(result.ms * 100) / 100,
  }
}

function printForPeople(printer: Printer, result: CallResult, way: string | undefined): void {
  const { output } = result
  if (output.kind === 'streams') printer.raw(bytesOf(output.stdout))
  if (output.kind === 'value') printer.json(output.value)
  if (output.kind === 'content') {
    // What a client reads in the content stands below as the error.
    const isError = (block: JsonObject) => !result.ok && block.text === result.message
    for (const block of output.content) if (!isError(block)) printBlock(printer, block)
  }
  printer.rawNote(bytesOf(stderrOf(output) ?? NO_TEXT))
  if (result.ok) return
  const hint = result.reason === 'input' ? way : undefined
  printer.error(
    new OrlaError(FAILURE_CODES[result.reason], result.message, hint === undefined ? {} : { hint }),
  )
}

function stderrOf(output: Output): Text | undefined {
  return output.kind === 'streams' || output.kind === 'value' ? output.stderr : undefined
}

/** Text as it is; anything else is named, with what can be read of it. */
function printBlock(printer: Printer, block: JsonObject): void {
  if (block.type === 'text' && typeof block.text === 'string') {
    printer.raw(block.text.endsWith('\n') ? block.text : `${block.text}\n`)
    return
  }
  const { data, blob, ...rest } = block
  const hidden = typeof data === 'string' ? data : typeof blob === 'string' ? blob : ''
  printer.json(hidden === '' ? rest : { ...rest, bytes: Buffer.byteLength(hidden, 'base64') })
}

function bytesOf(text: Text): Uint8Array {
  return Buffer.from(text.text, text.encoding)
}
