import { type Caller, type Confinement, jsonLine, type Measurement } from '../model/index.ts'
import { numberText, stringText, timeText } from '../platform/index.ts'

/**
 * The record of a call as one line of JSON. `callFields` says what is in it; every call makes one, so this puts the
 * same together from parts that most calls share.
 */
export function callLine(measurement: Measurement, at: number): string {
  const { tool, version, ms, queuedMs, success, reason, implementation, passedOver } = measurement
  const { exitCode, bytesIn, bytesOut, usage, confinement, caller, message } = measurement
  const { requestId, principal } = caller
  let line = `${beginningOf(at, success)}${toolText(tool, version)}${hundredths(ms)},"queued_ms":${hundredths(queuedMs)}`
  line += success ? SUCCESS : FAILURE
  line += reason === undefined ? 'null' : `"${reason}"`
  if (implementation !== undefined) line += `,"implementation":${stringText(implementation)}`
  if (passedOver !== undefined) line += `,"passed_over":${jsonLine(passedOver)}`
  line += `,"exit_code":${exitCode},"bytes_in":${bytesIn},"bytes_out":${bytesOut}`
  if (usage !== undefined) line += `,"cpu_ms":${hundredths(usage.cpuMs)},"max_rss":${usage.maxRssBytes}`
  if (confinement !== undefined) line += confinementText(confinement)
  line += `,"request_id":${typeof requestId === 'number' ? numberText(requestId) : stringText(requestId)}${wayText(caller)}`
  if (principal !== undefined) line += `,"principal":${stringText(principal)}`
  if (!success && message !== undefined) line += `,"error":${stringText(message)}`
  return `${line}}`
}

const SUCCESS = ',"success":true,"reason":'
const FAILURE = ',"success":false,"reason":'

let millisecond = Number.NaN
let moment = ''

/** Calls that end together are of one millisecond. */
function beginningOf(at: number, success: boolean): string {
  if (at !== millisecond) {
    moment = `{"time":"${timeText(at)}","level":`
    millisecond = at
  }
  return moment + (success ? '"info","msg":"call"' : '"warn","msg":"call"')
}

const tools = new Map<string, { readonly version: string; readonly text: string }>()
/** Callers may write any name: then it is begun anew. */
const MOST_TOOLS = 1_000

function toolText(tool: string, version: string): string {
  const known = tools.get(tool)
  if (known?.version === version) return known.text
  const text = `,"tool":${stringText(tool)},"version":${stringText(version)},"duration_ms":`
  if (tools.size >= MOST_TOOLS) tools.clear()
  tools.set(tool, { version, text })
  return text
}

/** A capsule is held by the same for as long as it lives. */
const confinements = new WeakMap<Confinement, string>()

function confinementText(confinement: Confinement): string {
  const known = confinements.get(confinement)
  if (known !== undefined) return known
  const text = `,${jsonLine(confinement).slice(1, -1)}`
  confinements.set(confinement, text)
  return text
}

let way: Pick<Caller, 'transport' | 'era'> | undefined
let wayWritten = ''

function wayText({ transport, era }: Caller): string {
  if (way?.transport !== transport || way.era !== era) {
    wayWritten = `,"transport":"${transport}","era":"${era}"`
    way = { transport, era }
  }
  return wayWritten
}

const FRACTIONS = Array.from({ length: 100 }, (_, hundredth) => `${hundredth / 100}`.slice(1))
const MOST_BY_PARTS = 1e9

/** What `round` gives, as text: two whole numbers are written sooner than one with a point. */
function hundredths(ms: number): string {
  const all = Math.round(ms * 100)
  if (!(all >= 0 && all < MOST_BY_PARTS)) return numberText(all / 100)
  const whole = Math.floor(all / 100)
  return `${whole}${FRACTIONS[all - whole * 100]}`
}
