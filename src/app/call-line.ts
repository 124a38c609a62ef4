import { type Caller, type Confinement, jsonLine, type LogLevel, type Measurement } from '../model/index.ts'
import { type LineBuffer, stringText, timeText } from '../platform/index.ts'

/**
 * Writes the record of a call as one line of JSON. `callFields` says what is in it; every call makes one, so this puts
 * the same together from parts that most calls share.
 */
export function writeCallLine(line: LineBuffer, measurement: Measurement, at: number): void {
  const { success, reason, implementation, passedOver, exitCode, usage, confinement, caller, message } =
    measurement
  if (success) line.bytes(momentOf(at))
  else line.text(beginningAt(at, 'warn'))
  line.bytes(toolOf(measurement))
  line.hundredths(measurement.ms)
  line.bytes(QUEUED)
  line.hundredths(measurement.queuedMs)
  if (success && reason === undefined) line.bytes(SUCCESS)
  else line.text(`,"success":${success},"reason":${reason === undefined ? 'null' : stringText(reason)}`)
  if (implementation !== undefined) line.text(`,"implementation":${stringText(implementation)}`)
  if (passedOver !== undefined) line.text(`,"passed_over":${jsonLine(passedOver)}`)
  if (exitCode === null) line.bytes(NO_EXIT_CODE)
  else {
    line.bytes(EXIT_CODE)
    line.number(exitCode)
    line.bytes(BYTES_IN)
  }
  line.number(measurement.bytesIn)
  line.bytes(BYTES_OUT)
  line.number(measurement.bytesOut)
  if (usage !== undefined) {
    line.bytes(CPU)
    line.hundredths(usage.cpuMs)
    line.bytes(MEMORY)
    line.number(usage.maxRssBytes)
  }
  if (confinement !== undefined) line.bytes(confinementOf(confinement))
  writeCaller(line, caller)
  if (!success && message !== undefined) line.text(`,"error":${stringText(message)}`)
  line.bytes(END)
}

const QUEUED = Buffer.from(',"queued_ms":')
const SUCCESS = Buffer.from(',"success":true,"reason":null')
const EXIT_CODE = Buffer.from(',"exit_code":')
const NO_EXIT_CODE = Buffer.from(',"exit_code":null,"bytes_in":')
const BYTES_IN = Buffer.from(',"bytes_in":')
const BYTES_OUT = Buffer.from(',"bytes_out":')
const CPU = Buffer.from(',"cpu_ms":')
const MEMORY = Buffer.from(',"max_rss":')
const REQUEST = Buffer.from(',"request_id":')
const END = Buffer.from('}\n')

let millisecond = Number.NaN
let moment = END

/** Calls that end together are of one millisecond. */
function momentOf(at: number): Uint8Array {
  if (at === millisecond) return moment
  moment = Buffer.from(beginningAt(at, 'info'))
  millisecond = at
  return moment
}

function beginningAt(at: number, level: LogLevel): string {
  return `{"time":"${timeText(at)}","level":"${level}","msg":"call"`
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

/** A capsule is held by the same for as long as it lives. */
const confinements = new WeakMap<Confinement, Uint8Array>()

function confinementOf(confinement: Confinement): Uint8Array {
  const known = confinements.get(confinement)
  if (known !== undefined) return known
  const written = Buffer.from(`,${jsonLine(confinement).slice(1, -1)}`)
  confinements.set(confinement, written)
  return written
}

let way: Pick<Caller, 'transport' | 'era'> | undefined
let wayWritten = END

function writeCaller(line: LineBuffer, { requestId, transport, era, principal }: Caller): void {
  if (way?.transport !== transport || way.era !== era) {
    wayWritten = Buffer.from(`,"transport":"${transport}","era":"${era}"`)
    way = { transport, era }
  }
  line.bytes(REQUEST)
  if (typeof requestId === 'number') line.number(requestId)
  else line.text(stringText(requestId))
  line.bytes(wayWritten)
  if (principal !== undefined) line.text(`,"principal":${stringText(principal)}`)
}
