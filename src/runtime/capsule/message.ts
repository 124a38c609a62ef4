import { isJsonObject, type Json, type JsonObject } from '../../model/index.ts'

/** One line of a conversation, told apart once. */
export type Message =
  | { readonly kind: 'result'; readonly id: Json; readonly result: Json }
  | { readonly kind: 'error'; readonly id: Json; readonly code: number; readonly message: string }
  | { readonly kind: 'request'; readonly id: Json; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }

/** Undefined for what is no JSON-RPC 2.0. */
export function readMessage(line: string): Message | undefined {
  // Most noise is plain text; an exception for each line of it would be dear.
  if (!line.startsWith('{') && !line.trimStart().startsWith('{')) return undefined
  return messageOf(parse(line))
}

/** Several messages on one line, each to be told apart. Undefined for what is no batch: one is never empty. */
export function readBatch(line: string): readonly Json[] | undefined {
  if (!BATCH_HEAD.test(line)) return undefined
  const values = parse(line)
  return Array.isArray(values) ? values : undefined
}

const BATCH_HEAD = /^\s*\[\s*\{/

/** Undefined for what is no JSON-RPC 2.0. */
export function messageOf(value: Json | undefined): Message | undefined {
  if (value === undefined || !isJsonObject(value) || value.jsonrpc !== '2.0') return undefined
  const { id, method, params } = value
  if (typeof method === 'string') {
    if (id !== undefined) return { kind: 'request', id, method }
    return { kind: 'notification', method, params: isJsonObject(params) ? params : {} }
  }
  if (id === undefined) return undefined
  if (value.result !== undefined) return { kind: 'result', id, result: value.result }
  if (!isJsonObject(value.error)) return undefined
  const { code, message } = value.error
  return {
    kind: 'error',
    id,
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' && message !== '' ? message : 'it did not say what went wrong',
  }
}

function parse(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json // what JSON.parse gives, by definition
  } catch {
    return undefined
  }
}

/**
 * Which request a message too long to be read would answer, from its two ends. Only where it cannot be a member
 * of something inside: at the very start, or right before the last brace.
 */
export function answeredId(head: string, tail: string): number | undefined {
  if (REQUEST_HEAD.test(head)) return undefined
  const [, first] = HEAD_ID.exec(head) ?? []
  const [, last] = TAIL_ID.exec(tail) ?? []
  const id = first ?? last
  return id === undefined ? undefined : Number(id)
}

const HEAD_ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/
const TAIL_ID = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** The same of a line that could be read whole and is no JSON-RPC; of a batch, from the ends of its messages. */
export function wrongId(line: string): number | undefined {
  const messages = line.replace(/^\s*\[/, '').replace(/\]\s*$/, '')
  return answeredId(messages, messages)
}

/** The id of a request too long to be read: whoever sent it waits for an answer. */
export function askedId(head: string, tail: string): number | string | undefined {
  const [, first] = REQUEST_HEAD.exec(head) ?? []
  const id = first ?? (REQUEST_HEAD.test(head) ? LAST_ID.exec(tail)?.[1] : undefined)
  return id === undefined ? undefined : (JSON.parse(id) as number | string) // a number, or a text without escapes
}

const REQUEST_HEAD =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(\d+|"[^"\\]*")\s*,\s*)?(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:/
const LAST_ID = /,\s*"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/
