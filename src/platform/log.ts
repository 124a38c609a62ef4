import { styleText } from 'node:util'
import {
  escapeControls,
  LOG_LEVELS,
  type Log,
  type LogFields,
  type LogLevel,
  oneLine,
} from '../model/index.ts'
import { createLineBuffer, type LineBuffer } from './line-buffer.ts'
import { jsonable, renderJson } from './log-json.ts'
import { openFileStream, openStderrStream, type Stream } from './log-stream.ts'

/** Where finished lines go, each with its line break. */
export interface LogSink {
  write(lines: string): void
  /** The same, for who puts them together in place. */
  add(make: (lines: LineBuffer) => void): void
  /** Opens the file again, so that a rotated log is continued under its name. */
  reopen(): void
  close(): void
  readonly colours: boolean
}

export interface LogSettings {
  readonly format: 'json' | 'pretty'
  readonly level: LogLevel
}

/** `settings` is asked for each record, so that a reload takes effect at once. */
export function createLog(
  sink: Pick<LogSink, 'write' | 'colours'>,
  settings: () => LogSettings,
  now: () => Date = () => new Date(),
): Log {
  const at =
    (level: LogLevel) =>
    (msg: string, fields: LogFields = {}) => {
      const { format, level: least } = settings()
      if (!isLogged(level, least)) return
      sink.write(`${recordLine(format, now(), level, msg, fields, sink.colours)}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal') }
}

export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
}

/** A record as it is written, without the end of its line. */
export function recordLine(
  format: LogSettings['format'],
  time: Date,
  level: LogLevel,
  msg: string,
  fields: LogFields,
  colours: boolean,
): string {
  return format === 'json'
    ? renderJson(time, level, msg, fields)
    : renderPretty(time, level, msg, fields, colours)
}

const COLOURS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red', fatal: 'magenta' } as const

function renderPretty(time: Date, level: LogLevel, msg: string, fields: LogFields, colours: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text
  const { hint, stack, ...rest } = fields
  const details = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${paint('gray', `${key}=`)}${oneLine(plain(value))}`)
  const head = `${paint('gray', time.toTimeString().slice(0, 8))} ${paint(COLOURS[level], level.padEnd(5))} ${oneLine(msg)}`
  const lines = [[head, ...details].join('  ')]
  if (typeof hint === 'string') lines.push(`         ${paint('cyan', '→')} ${oneLine(hint)}`)
  if (typeof stack === 'string') lines.push(escapeControls(stack).replace(/^/gm, '         '))
  return lines.join('\n')
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value
  return value instanceof Error ? value.message : (JSON.stringify(value, jsonable) ?? '')
}

/** The log's stream: a file opened for appending, or standard error. */
export function openLogSink(to: {
  file: string | null
  stderr: NodeJS.WriteStream
  colours: boolean
}): LogSink {
  const { file, stderr, colours } = to
  return gathering(file === null ? openStderrStream(stderr, colours) : openFileStream(file, stderr))
}

/**
 * A line waits for the others of its turn: one write for many calls that end together. While there is much to
 * write it is written so many times a second, no more often: whatever its size, a write takes as long as the bytes
 * of two hundred records. Records of calls come less often than that, and do not wait again.
 */
const MOST_GATHERED = 262_144
const BETWEEN_WRITES_MS = 5
const ROOM_FOR_ONE_MORE = 4_096

function gathering(sink: Stream): LogSink {
  const lines = createLineBuffer(MOST_GATHERED + ROOM_FOR_ONE_MORE)
  let scheduled = false
  let wroteAt = Number.NEGATIVE_INFINITY
  const hand = () => {
    if (lines.size() === 0) return
    wroteAt = performance.now()
    lines.empty(sink.write)
  }
  const flush = () => {
    scheduled = false
    hand()
  }
  const schedule = () => {
    if (scheduled) return
    scheduled = true
    const waitMs = wroteAt + BETWEEN_WRITES_MS - performance.now()
    if (waitMs > 0) setTimeout(flush, waitMs)
    else setImmediate(flush)
  }
  const add = (make: (lines: LineBuffer) => void) => {
    make(lines)
    if (lines.size() > MOST_GATHERED) hand()
    schedule()
  }
  return {
    colours: sink.colours,
    write: (more) => add((gathered) => gathered.text(more)),
    add,
    reopen() {
      flush()
      sink.reopen()
    },
    close() {
      flush()
      sink.close()
    },
  }
}
