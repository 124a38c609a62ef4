import type { Caller, Confinement, Measurement } from '../model/index.ts'

/** What the calls of one tool that come the same way have in common: one object for all of them. */
export interface CallKind extends Pick<Caller, 'transport' | 'era'> {
  readonly tool: string
  readonly version: string
  readonly principal: string | undefined
  readonly confinement: Confinement | undefined
  /** Whether it is known what its program took. */
  readonly hasUsage: boolean
}

/** Calls in the order in which they ended. */
export interface EndedCalls {
  readonly count: () => number
  /** Of a call like most, one that succeeded at its first attempt: what is not in here is among its numbers. */
  kind(index: number): CallKind | undefined
  /** NUMBERS of each call, one call behind the other. */
  numbers(): Float64Array
  /**
   * All there is to know. It was made when the call ended and has left the processor's caches since: to read it takes
   * as long as writing a record does, so whoever can makes do with kind and numbers.
   */
  measurement(index: number): Measurement
  /** One that cannot be told keeps no other from being told. */
  each(tell: (index: number) => void): void
}

export interface CallGatherer extends EndedCalls {
  /** `at`: when it ended, in milliseconds since 1970. */
  add(measurement: Measurement, at: number): void
  /** Begins anew. Returns what went wrong in telling. */
  clear(): readonly unknown[]
}

/** Where they stand among the numbers of a call. */
export const AT = 0
export const MS = 1
export const QUEUED_MS = 2
/** Not a number where there is none. */
export const EXIT_CODE = 3
export const BYTES_IN = 4
export const BYTES_OUT = 5
export const CPU_MS = 6
export const MAX_RSS = 7
/** Not a number where it is a text. */
export const REQUEST_ID = 8
export const NUMBERS = 9

export function gatherCalls(usualCount: number): CallGatherer {
  const kindOf = createKinds()
  let numbers = new Float64Array(usualCount * NUMBERS)
  let kinds: (CallKind | undefined)[] = []
  let measurements: Measurement[] = []
  let problems: unknown[] = []
  let count = 0

  function grow(): void {
    const larger = new Float64Array(2 * numbers.length)
    larger.set(numbers)
    numbers = larger
  }

  return {
    count: () => count,
    kind: (index) => kinds[index],
    numbers: () => numbers,
    measurement(index) {
      const found = measurements[index]
      if (found === undefined) throw new RangeError(`there is no call ${index}`)
      return found
    },
    each(tell) {
      for (let index = 0; index < count; index++) {
        try {
          tell(index)
        } catch (error) {
          problems.push(error)
        }
      }
    },
    add(measurement, at) {
      const place = count++ * NUMBERS
      if (place === numbers.length) grow()
      measurements.push(measurement)
      kinds.push(kindOf(measurement))
      const { usage, caller } = measurement
      numbers[place + AT] = at
      numbers[place + MS] = measurement.ms
      numbers[place + QUEUED_MS] = measurement.queuedMs
      numbers[place + EXIT_CODE] = measurement.exitCode ?? Number.NaN
      numbers[place + BYTES_IN] = measurement.bytesIn
      numbers[place + BYTES_OUT] = measurement.bytesOut
      numbers[place + REQUEST_ID] = typeof caller.requestId === 'number' ? caller.requestId : Number.NaN
      if (usage === undefined) return
      numbers[place + CPU_MS] = usage.cpuMs
      numbers[place + MAX_RSS] = usage.maxRssBytes
    },
    clear() {
      const wrong = problems
      kinds = []
      measurements = []
      problems = []
      count = 0
      return wrong
    },
  }
}

/** Callers may write any name, and be anyone: then it is begun anew. */
const MOST_TOOLS = 1_000
const MOST_OF_A_TOOL = 16

function createKinds(): (measurement: Measurement) => CallKind | undefined {
  const byTool = new Map<string, CallKind[]>()
  /** Most calls are of the same kind as the one before. */
  let last: CallKind | undefined

  function find(measurement: Measurement): CallKind {
    const { tool, version, caller, confinement, usage } = measurement
    const kinds = byTool.get(tool)
    const known = kinds?.find((kind) => isOf(kind, measurement))
    if (known !== undefined) return known
    const { transport, era, principal } = caller
    const kind = { tool, version, transport, era, principal, confinement, hasUsage: usage !== undefined }
    if (kinds !== undefined && kinds.length < MOST_OF_A_TOOL) {
      kinds.push(kind)
      return kind
    }
    if (byTool.size >= MOST_TOOLS) byTool.clear()
    byTool.set(tool, [kind])
    return kind
  }

  return (measurement) => {
    const { success, reason, implementation, passedOver } = measurement
    if (!success || reason !== undefined || implementation !== undefined || passedOver !== undefined) return
    if (last === undefined || !isOf(last, measurement)) last = find(measurement)
    return last
  }
}

function isOf(kind: CallKind, { tool, version, caller, confinement, usage }: Measurement): boolean {
  return (
    kind.tool === tool &&
    kind.version === version &&
    kind.confinement === confinement &&
    kind.transport === caller.transport &&
    kind.era === caller.era &&
    kind.principal === caller.principal &&
    kind.hasUsage === (usage !== undefined)
  )
}
