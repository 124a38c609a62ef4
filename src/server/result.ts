import {
  type CallResult,
  type FailureReason,
  type Json,
  type JsonObject,
  NO_TEXT,
  type Streams,
  type Text,
  type Tool,
} from '../model/index.ts'
import { jsonBytes, jsonPrefix } from './json-size.ts'

export interface WireResult {
  readonly content: readonly TextBlock[]
  readonly structuredContent?: Json
  readonly isError?: true
  readonly _meta?: JsonObject
}

interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

/** Clients buffer 8 MB of a message; the difference is for the envelope around the result. */
const RESULT_BYTES = 7_900_000

/** What a client sees of a finished call: the same in both eras, before the SDK adapts it to old clients. */
export function toWireResult(
  result: CallResult,
  tool: Pick<Tool, 'outputSchema'> | undefined,
  maxBytes = RESULT_BYTES,
): WireResult {
  const parts = partsOf(result, tool?.outputSchema !== undefined)
  const whole = assemble(parts)
  if (fits(whole, maxBytes)) return whole
  const lean = dropRepetition(parts)
  const withoutRepetition = assemble(lean)
  if (fits(withoutRepetition, maxBytes)) return withoutRepetition
  return assemble(cutTexts(lean, maxBytes))
}

/** What a result is made of, in the order clients see it. */
interface Parts {
  readonly failure?: FailureReason
  readonly message?: string
  /** Standard output, or the JSON text of a structured value. */
  readonly main?: Text
  readonly stderr: Text
  readonly ending?: string
  readonly notes: readonly string[]
  readonly structured?: Json
  /** The tool promised structured content: the text goes first when there is too much. */
  readonly promised: boolean
}

function partsOf(result: CallResult, promised: boolean): Parts {
  const { output } = result
  const failed = result.ok ? {} : { failure: result.reason }
  const message = !result.ok && result.reason !== 'exit' ? { message: clip(result.message) } : {}
  switch (output.kind) {
    case 'none':
      return { ...failed, ...message, stderr: NO_TEXT, notes: [], promised }
    case 'value': {
      const text = JSON.stringify(output.value)
      const main: Text = { text, encoding: 'utf8', bytes: Buffer.byteLength(text) }
      const structured = result.ok ? { structured: output.value } : {}
      return { ...failed, ...message, main, stderr: output.stderr, notes: [], ...structured, promised }
    }
    case 'streams': {
      const ending = endingOf(output)
      return {
        ...failed,
        ...message,
        ...((message.message === undefined || output.stdout.bytes > 0) && { main: output.stdout }),
        stderr: output.stderr,
        ...(ending !== undefined && { ending }),
        notes: [],
        ...(!promised && { structured: structuredStreams(output) }),
        promised,
      }
    }
  }
}

function endingOf({ exitCode, signal }: Streams): string | undefined {
  if (exitCode !== null) return exitCode === 0 ? undefined : `exit_code: ${exitCode}`
  return signal === null ? undefined : `signal: ${signal}`
}

function structuredStreams({ stdout, stderr, exitCode, signal }: Streams): JsonObject {
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    exit_code: exitCode,
    ...(signal !== null && { signal }),
    ...(stdout.encoding === 'base64' && { stdout_encoding: 'base64' }),
    ...(stderr.encoding === 'base64' && { stderr_encoding: 'base64' }),
  }
}

function assemble(parts: Parts): WireResult {
  const texts: string[] = []
  if (parts.message !== undefined) texts.push(parts.message)
  if (parts.main) texts.push(shown('stdout', parts.main, ''))
  if (parts.stderr.bytes > 0) texts.push(shown('stderr', parts.stderr, 'stderr: '))
  if (parts.ending !== undefined) texts.push(parts.ending)
  texts.push(...parts.notes)
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    ...(parts.structured !== undefined && { structuredContent: parts.structured }),
    // A reason lets a program tell the failures apart that a model reads as text.
    ...(parts.failure && { isError: true, _meta: { 'orla/reason': parts.failure } }),
  }
}

function shown(stream: string, text: Text, prefix: string): string {
  if (text.encoding === 'utf8') return prefix + text.text
  return `${stream} is not UTF-8: ${text.bytes} bytes, base64\n${text.text}`
}

function dropRepetition(parts: Parts): Parts {
  if (parts.structured === undefined) return parts
  const { structured, main, ...rest } = parts
  if (parts.promised) {
    const note = 'The text of the structured content was left out: both together are too much for one message'
    return { ...rest, structured, notes: [note] }
  }
  const note =
    'The structured content was left out: it repeats the text and both are too much for one message'
  return { ...rest, ...(main && { main }), notes: [note] }
}

function cutTexts(parts: Parts, maxBytes: number): Parts {
  const { main = NO_TEXT, stderr } = parts
  const fixed = assemble({ ...parts, main: { ...main, text: '' }, stderr: { ...stderr, text: '' } })
  const room = maxBytes - Buffer.byteLength(JSON.stringify(fixed)) - 400
  if (room < 0) return tooMuch(parts, maxBytes)
  const shortStderr = cut(stderr, Math.max(Math.floor(room / 8), room - jsonBytes(main.text)))
  const shortMain = cut(main, room - jsonBytes(shortStderr.text))
  return {
    ...parts,
    ...(parts.main && { main: shortMain }),
    stderr: shortStderr,
    notes: [...parts.notes, ...cutNote('stdout', main, shortMain), ...cutNote('stderr', stderr, shortStderr)],
  }
}

function cut(text: Text, room: number): Text {
  const prefix = jsonPrefix(text.text, room)
  // Base64 stays readable when it is cut between its groups of four.
  const length = text.encoding === 'base64' ? prefix - (prefix % 4) : prefix
  return { ...text, text: text.text.slice(0, length) }
}

function cutNote(stream: string, whole: Text, short: Text): string[] {
  if (whole.text.length === short.text.length) return []
  const kept =
    short.encoding === 'base64' ? (short.text.length / 4) * 3 : Buffer.byteLength(short.text, 'utf8')
  return [
    `${stream} was cut: the first ${kept} of ${whole.bytes} bytes are here, more do not fit one message`,
  ]
}

/** Structured content cannot be cut without breaking the tool's promise, so there is none. */
function tooMuch(parts: Parts, maxBytes: number): Parts {
  const bytes = Buffer.byteLength(JSON.stringify(parts.structured ?? null))
  return {
    failure: 'limit',
    message: `The result is ${bytes} bytes of JSON; one message carries at most ${maxBytes}`,
    stderr: cut(parts.stderr, Math.floor(maxBytes / 8)),
    notes: [],
    promised: parts.promised,
  }
}

function fits(result: WireResult, maxBytes: number): boolean {
  let units = 0
  for (const block of result.content) units += block.text.length
  // JSON needs at most six bytes for a UTF-16 unit, and structured content repeats the text once.
  if (units * 12 + 10_000 <= maxBytes) return true
  return Buffer.byteLength(JSON.stringify(result)) <= maxBytes
}

function clip(message: string): string {
  return message.length <= 100_000 ? message : `${message.slice(0, 100_000)}…`
}
