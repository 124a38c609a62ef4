import { type Caller, type Confinement, jsonLine, type Measurement } from '../model/index.ts'
import {
  type LineBuffer,
  MOST_NUMBER_BYTES,
  putBytes,
  putHundredths,
  putNumber,
  recordLine,
  stringText,
  timeText,
} from '../platform/index.ts'
import { callFields } from './call-fields.ts'

/**
 * Writes the record of a call as one line of JSON. `callFields` says what is in it; nearly every call makes one of the
 * same form, so that one is put together from parts that most calls share.
 */
export function writeCallLine(lines: LineBuffer, measurement: Measurement, at: number): void {
  const { success, reason, implementation, passedOver } = measurement
  if (success && reason === undefined && implementation === undefined && passedOver === undefined) {
    writeSuccess(lines, measurement, at)
    return
  }
  const level = success ? 'info' : 'warn'
  lines.text(`${recordLine('json', new Date(at), level, 'call', callFields(measurement), false)}\n`)
}

function writeSuccess(lines: LineBuffer, measurement: Measurement, at: number): void {
  const { exitCode, usage, caller } = measurement
  const { requestId } = caller
  const beginning = beginningAt(at)
  const tool = toolOf(measurement)
  const held = heldOf(measurement.confinement)
  const id = typeof requestId === 'number' ? requestId : Buffer.from(stringText(requestId))
  const end = endOf(caller)
  const idBytes = typeof id === 'number' ? MOST_NUMBER_BYTES : id.length
  const most = beginning.length + tool.length + held.length + idBytes + end.length + MOST_BETWEEN
  const room = lines.room(most)
  let place = putBytes(room, lines.size(), beginning)
  place = putBytes(room, place, tool)
  place = putHundredths(room, place, measurement.ms)
  place = putBytes(room, place, QUEUED)
  place = putHundredths(room, place, measurement.queuedMs)
  if (exitCode === null) place = putBytes(room, place, NO_EXIT_CODE)
  else {
    place = putBytes(room, place, EXIT_CODE)
    place = putNumber(room, place, exitCode)
    place = putBytes(room, place, BYTES_IN)
  }
  place = putNumber(room, place, measurement.bytesIn)
  place = putBytes(room, place, BYTES_OUT)
  place = putNumber(room, place, measurement.bytesOut)
  if (usage !== undefined) {
    place = putBytes(room, place, CPU)
    place = putHundredths(room, place, usage.cpuMs)
    place = putBytes(room, place, MEMORY)
    place = putNumber(room, place, usage.maxRssBytes)
  }
  place = putBytes(room, place, held)
  place = typeof id === 'number' ? putNumber(room, place, id) : putBytes(room, place, id)
  lines.reach(putBytes(room, place, end))
}

const QUEUED = Buffer.from(',"queued_ms":')
const EXIT_CODE = Buffer.from(',"success":true,"reason":null,"exit_code":')
const BYTES_IN = Buffer.from(',"bytes_in":')
const NO_EXIT_CODE = Buffer.concat([EXIT_CODE, Buffer.from('null'), BYTES_IN])
const BYTES_OUT = Buffer.from(',"bytes_out":')
const CPU = Buffer.from(',"cpu_ms":')
const MEMORY = Buffer.from(',"max_rss":')
/** What is always the same, and the other numbers. */
const MOST_BETWEEN =
  7 * MOST_NUMBER_BYTES +
  [QUEUED, NO_EXIT_CODE, BYTES_OUT, CPU, MEMORY].reduce((sum, { length }) => sum + length, 0)

const MILLISECONDS = '000Z","level":"info","msg":"call"'
const ZERO = 0x30
let millisecond = Number.NaN
let second = Number.NaN
let beginning = Buffer.alloc(0)

/** Calls that end together are of one millisecond; only its digits differ within a second. */
function beginningAt(at: number): Uint8Array {
  if (at === millisecond) return beginning
  millisecond = at
  const now = Math.floor(at / 1_000)
  if (now !== second) {
    beginning = Buffer.from(`{"time":"${timeText(now * 1_000).slice(0, -'000Z'.length)}${MILLISECONDS}`)
    second = now
  }
  const rest = (at - now * 1_000) | 0
  const digits = beginning.length - MILLISECONDS.length
  beginning[digits] = ZERO + ((rest / 100) | 0)
  beginning[digits + 1] = ZERO + (((rest / 10) | 0) % 10)
  beginning[digits + 2] = ZERO + (rest % 10)
  return beginning
}

const tools = new Map<string, { readonly version: string; readonly written: Uint8Array }>()
/** Callers may write any name: then it is begun anew. */
const MOST_TOOLS = 1_000

function toolOf({ tool, version }: Measurement): Uint8Array {
  const known = tools.get(tool)
  if (known?.version === version) return known.written
  const written = Buffer.from(`,"tool":${stringText(tool)},"version":${stringText(version)},"duration_ms":`)
  if (tools.size >= MOST_TOOLS) tools.clear()
  tools.set(tool, { version, written })
  return written
}

const REQUEST = ',"request_id":'
const NOT_HELD = Buffer.from(REQUEST)
/** A capsule is held by the same for as long as it lives. */
const confinements = new WeakMap<Confinement, Uint8Array>()

function heldOf(confinement: Confinement | undefined): Uint8Array {
  if (confinement === undefined) return NOT_HELD
  const known = confinements.get(confinement)
  if (known !== undefined) return known
  const written = Buffer.from(`,${jsonLine(confinement).slice(1, -1)}${REQUEST}`)
  confinements.set(confinement, written)
  return written
}

let last: Caller | undefined
let lastEnd = NOT_HELD

/** Most calls come the same way as the one before. */
function endOf(caller: Caller): Uint8Array {
  const { transport, era, principal } = caller
  if (last?.transport === transport && last.era === era && last.principal === principal) return lastEnd
  const who = principal === undefined ? '' : `,"principal":${stringText(principal)}`
  lastEnd = Buffer.from(`,"transport":"${transport}","era":"${era}"${who}}\n`)
  last = caller
  return lastEnd
}
