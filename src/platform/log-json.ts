import { harmlessJson, jsonLine, type LogFields, type LogLevel } from '../model/index.ts'

/**
 * A record as one line of JSON. JSON escapes every line break inside a value, so a record cannot be forged by
 * what a tool prints. Every call makes one, hence field by field: JSON.stringify would ask a function for each.
 */
export function renderJson(time: Date, level: LogLevel, msg: string, fields: LogFields): string {
  // A field of one of these names takes its place, as in any object.
  if (fields.time !== undefined || fields.level !== undefined || fields.msg !== undefined) {
    return jsonLine({ time: time.toISOString(), level, msg, ...fields }, jsonable)
  }
  let line = `{"time":"${timeText(time.getTime())}","level":"${level}","msg":${stringText(msg)}`
  for (const key in fields) {
    const text = valueText(fields[key])
    if (text !== undefined) line += keyText(key) + text
  }
  return `${line}}`
}

/** What JSON has no word for, in one that it has. */
export function jsonable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Error) return { message: value.message, stack: value.stack }
  return value
}

function valueText(value: unknown): string | undefined {
  if (typeof value === 'string') return stringText(value)
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (value === undefined) return undefined
  if (value === null) return 'null'
  const text: string | undefined = JSON.stringify(value, jsonable)
  return text && harmlessJson(text)
}

/** A number as JSON, which has no word for some of them. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? `${value}` : 'null'
}

/** Nothing in it has to be escaped. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
const SHORT = 64

/** A text as JSON. */
export function stringText(text: string): string {
  return text.length < SHORT && PLAIN.test(text) ? `"${text}"` : jsonLine(text)
}

const keys = new Map<string, string>()
const MOST_KEYS = 1_000

function keyText(key: string): string {
  const known = keys.get(key)
  if (known !== undefined) return known
  const text = `,${jsonLine(key)}:`
  if (keys.size < MOST_KEYS) keys.set(key, text)
  return text
}

let second = Number.NaN
let secondText = ''

/** Most records are of the same second as the one before. */
export function timeText(ms: number): string {
  const now = Math.floor(ms / 1_000)
  if (now !== second) {
    secondText = new Date(now * 1_000).toISOString().slice(0, -'000Z'.length)
    second = now
  }
  return `${secondText}${String(ms - now * 1_000).padStart(3, '0')}Z`
}
