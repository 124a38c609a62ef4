import type { Measurement } from '../../model/index.ts'

/** Calls of one tool in one version since the start of this process. */
export interface CallCounter {
  readonly tool: string
  readonly version: string
  /** `ok`, or the reason of a failure. */
  readonly outcomes: Map<string, number>
  /** How many took no longer than each of the bounds, and not longer than the one before; the last: longer. */
  readonly seconds: number[]
  sumSeconds: number
  bytesIn: number
  bytesOut: number
}

/** Of the histogram, in seconds. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Every one is several lines for whoever reads them; what comes then is counted together. */
const MOST_COUNTERS = 1_000
const OTHERS = '(others)'

type CountedCall = Pick<Measurement, 'tool' | 'version' | 'reason' | 'ms' | 'bytesIn' | 'bytesOut'>

export interface CallCounters {
  heard(call: CountedCall): void
  all(): readonly CallCounter[]
  /** Calls of names that no tool has; they are not told apart. */
  unknown(): number
}

export function createCallCounters(): CallCounters {
  const byTool = new Map<string, CallCounter[]>()
  let counters = 0
  let unknown = 0

  function find(tool: string, version: string): CallCounter {
    const versions = byTool.get(tool)
    const known = versions?.find((one) => one.version === version)
    if (known !== undefined) return known
    if (counters >= MOST_COUNTERS && tool !== OTHERS) return find(OTHERS, '')
    counters++
    const fresh = emptyCounter(tool, version)
    if (versions === undefined) byTool.set(tool, [fresh])
    else versions.push(fresh)
    return fresh
  }

  return {
    heard({ tool, version, reason = 'ok', ms, bytesIn, bytesOut }) {
      if (reason === 'not_found') {
        unknown++
        return
      }
      const counter = find(tool, version)
      counter.outcomes.set(reason, (counter.outcomes.get(reason) ?? 0) + 1)
      counter.bytesIn += bytesIn
      counter.bytesOut += bytesOut
      const seconds = ms / 1_000
      let at = 0
      while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at++
      counter.seconds[at] = (counter.seconds[at] ?? 0) + 1
      counter.sumSeconds += seconds
    },
    all: () => [...byTool.values()].flat(),
    unknown: () => unknown,
  }
}

function emptyCounter(tool: string, version: string): CallCounter {
  const seconds = Array.from({ length: BOUNDS.length + 1 }, () => 0)
  return { tool, version, outcomes: new Map(), seconds, sumSeconds: 0, bytesIn: 0, bytesOut: 0 }
}
