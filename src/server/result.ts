import {
  type CallResult,
  type FailureReason,
  type Json,
  type JsonObject,
  NO_TEXT,
  type Output,
  type Streams,
  type Text,
  type Tool,
} from '../model/index.ts'
import { contentResults } from './content-result.ts'
import { jsonBytes, jsonPrefix } from './json-size.ts'

export interface WireResult {
  readonly content: readonly JsonObject[]
  readonly structuredContent?: Json
  readonly isError?: true
  readonly _meta?: JsonObject
}

/** A result and its JSON: it is written once, to learn its size and to be sent. */
export interface WrittenResult {
  readonly result: WireResult
  readonly json: string
}

/** Clients buffer 8 MB of a message; the difference is for the envelope around the result. */
const RESULT_BYTES = 7_900_000

/** What a client sees of a finished call: the same in both eras, before it is adapted to old clients. */
export function toWireResult(
  result: CallResult,
  tool: Pick<Tool, 'outputSchema'> | undefined,
  maxBytes = RESULT_BYTES,
): WrittenResult {
  const promised = tool?.outputSchema !== undefined
  try {
    for (const candidate of candidatesOf(result, promised, maxBytes)) {
      const json = JSON.stringify(candidate)
      if (fits(json, maxBytes)) return { result: candidate, json }
    }
    return written(tooMuch(result, maxBytes))
  } catch (error) {
    if (error instanceof RangeError) return written(tooDeep())
    throw error
  }
}

/** From the whole result to what is left of it when there is too much for one message. */
function candidatesOf(result: CallResult, promised: boolean, maxBytes: number): Iterable<WireResult> {
  const { output } = result
  return output.kind === 'content'
    ? contentResults(result, output, promised, maxBytes)
    : textResults(partsOf(result, output, promised), maxBytes)
}

function* textResults(parts: Parts, maxBytes: number): Iterable<WireResult> {
  yield assemble(parts)
  const lean = dropRepetition(parts)
  if (lean !== parts) yield assemble(lean)
  const short = cutTexts(lean, maxBytes)
  if (short) yield assemble(short)
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

function partsOf(result: CallResult, output: Exclude<Output, { kind: 'content' }>, promised: boolean): Parts {
  const failed = result.ok ? {} : { failure: result.reason }
  // The streams of a program and its status say all there is to say about its exit.
  const speaks = !result.ok && result.reason === 'exit' && output.kind === 'streams'
  const message = !result.ok && !speaks ? { message: clip(result.message) } : {}
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

function cutTexts(parts: Parts, maxBytes: number): Parts | undefined {
  const { main = NO_TEXT, stderr } = parts
  const fixed = assemble({ ...parts, main: { ...main, text: '' }, stderr: { ...stderr, text: '' } })
  const room = maxBytes - Buffer.byteLength(JSON.stringify(fixed)) - 400
  if (room < 0) return undefined
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
function tooMuch({ output }: CallResult, maxBytes: number): WireResult {
  const value = output.kind === 'value' ? output.value : output.kind === 'content' ? output.structured : null
  const bytes = Buffer.byteLength(JSON.stringify(value ?? null))
  const stderr = output.kind === 'value' ? cut(output.stderr, Math.floor(maxBytes / 8)) : NO_TEXT
  return assemble({
    failure: 'limit',
    message: `The result is ${bytes} bytes of JSON; one message carries at most ${maxBytes}`,
    stderr,
    notes: [],
    promised: true,
  })
}

/** It was read from JSON, but what writes JSON goes down with every level. */
function tooDeep(): WireResult {
  const message = 'The result nests too deeply to be written as JSON'
  return assemble({ failure: 'limit', message, stderr: NO_TEXT, notes: [], promised: true })
}

function written(result: WireResult): WrittenResult {
  return { result, json: JSON.stringify(result) }
}

function fits(json: string, maxBytes: number): boolean {
  // UTF-8 needs at most three bytes for a UTF-16 unit: most results are too short to be counted.
  return json.length * 3 <= maxBytes || Buffer.byteLength(json) <= maxBytes
}

/** A message of ours that a tool may have put words into. */
function clip(message: string): string {
  return message.length <= 100_000 ? message : `${message.slice(0, 100_000)}…`
}
