import { jsonLine } from '../model/index.ts'
import {
  type LineBuffer,
  MOST_NUMBER_BYTES,
  putBytes,
  putHundredths,
  putNumber,
  stringText,
  timeText,
} from '../platform/index.ts'
import {
  AT,
  BYTES_IN,
  BYTES_OUT,
  type CallKind,
  CPU_MS,
  type EndedCalls,
  EXIT_CODE,
  MAX_RSS,
  MS,
  NUMBERS,
  QUEUED_MS,
  REQUEST_ID,
} from './ended-calls.ts'
import { createNumberForm, type FormNumber, type NumberForm } from './number-form.ts'

type WriteCallLine = (lines: LineBuffer, kind: CallKind, calls: EndedCalls, index: number) => void

/**
 * Writes the record of a call like most as one line of JSON, the same that any other record with the fields of
 * `callFields` would be. What calls of a kind share is put together once, as bytes.
 */
export function createCallLines(): WriteCallLine {
  const written = new WeakMap<CallKind, Parts>()
  let last: CallKind | undefined
  let parts: Parts | undefined

  /** Most calls are of the same kind as the one before. */
  function partsOf(kind: CallKind): Parts {
    if (parts !== undefined && kind === last) return parts
    parts = written.get(kind) ?? createParts(kind)
    written.set(kind, parts)
    last = kind
    return parts
  }

  return (lines, kind, calls, index) => {
    const { beginning, middle, end, most } = partsOf(kind)
    const numbers = calls.numbers()
    const from = index * NUMBERS
    const id = numbers[from + REQUEST_ID] ?? 0
    const idText = Number.isNaN(id) ? idBytes(calls, index) : undefined
    const room = lines.room(most + (idText?.length ?? 0))
    let place = putBytes(room, lines.size(), beginningAt(beginning, numbers[from + AT] ?? 0))
    place = putHundredths(room, place, numbers[from + MS] ?? 0)
    place = middle.put(room, place, numbers, from)
    place = idText === undefined ? putNumber(room, place, id) : putBytes(room, place, idText)
    lines.reach(putBytes(room, place, end))
  }
}

function idBytes(calls: EndedCalls, index: number): Uint8Array {
  const { requestId } = calls.measurement(index).caller
  return Buffer.from(typeof requestId === 'string' ? stringText(requestId) : 'null')
}

/** What is the same in the records of all calls of a kind, or nearly so. */
interface Parts {
  readonly beginning: Beginning
  readonly middle: NumberForm
  readonly end: Uint8Array
  /** No line is longer than this, but for an id that is a text. */
  readonly most: number
}

const USAGE: readonly FormNumber[] = [
  { before: ',"cpu_ms":', column: CPU_MS, isRounded: true },
  { before: ',"max_rss":', column: MAX_RSS },
]

function createParts(kind: CallKind): Parts {
  const [tool, version] = [stringText(kind.tool), stringText(kind.version)]
  const behind = `","level":"info","msg":"call","tool":${tool},"version":${version},"duration_ms":`
  const bytes = Buffer.from(`${BEFORE_TIME}${timeText(0)}${behind}`)
  const { confinement, transport, era, principal, hasUsage } = kind
  const held = confinement === undefined ? '' : `,${jsonLine(confinement).slice(1, -1)}`
  const numbers: readonly FormNumber[] = [
    { before: ',"queued_ms":', column: QUEUED_MS, isRounded: true },
    { before: ',"success":true,"reason":null,"exit_code":', column: EXIT_CODE },
    { before: ',"bytes_in":', column: BYTES_IN },
    { before: ',"bytes_out":', column: BYTES_OUT },
    ...(hasUsage ? USAGE : []),
  ]
  const middle = createNumberForm(numbers, `${held},"request_id":`)
  const who = principal === undefined ? '' : `,"principal":${stringText(principal)}`
  const end = Buffer.from(`,"transport":"${transport}","era":"${era}"${who}}\n`)
  const most = bytes.length + middle.most + end.length + 2 * MOST_NUMBER_BYTES
  return { beginning: { bytes, millisecond: 0, second: 0 }, middle, end, most }
}

/** With the time of the call that was written last. */
interface Beginning {
  readonly bytes: Buffer
  millisecond: number
  second: number
}

const BEFORE_TIME = '{"time":"'
const MILLISECONDS_AT = BEFORE_TIME.length + '1970-01-01T00:00:00.'.length
const ZERO = 0x30

/** Calls that end together are of one millisecond; only its digits differ within a second. */
function beginningAt(beginning: Beginning, at: number): Uint8Array {
  const { bytes } = beginning
  if (at === beginning.millisecond) return bytes
  beginning.millisecond = at
  const second = Math.floor(at / 1_000)
  if (second !== beginning.second) {
    bytes.write(timeText(at), BEFORE_TIME.length, 'latin1')
    beginning.second = second
    return bytes
  }
  const rest = (at - second * 1_000) | 0
  bytes[MILLISECONDS_AT] = ZERO + ((rest / 100) | 0)
  bytes[MILLISECONDS_AT + 1] = ZERO + (((rest / 10) | 0) % 10)
  bytes[MILLISECONDS_AT + 2] = ZERO + (rest % 10)
  return bytes
}
