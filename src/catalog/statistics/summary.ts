import type { ToolStatistics } from '../../model/index.ts'
import type { Row } from './book.ts'
import { latencyOf } from './sketch.ts'
import { DAY_MS } from './slot.ts'
import { emptyTally, mergeTally, verdictsOf } from './tally.ts'

const HALF_LIFE_MS = 7 * DAY_MS

export function summarise({ tool, version, implementation, slots, tests }: Row, now: number): ToolStatistics {
  const whole = emptyTally()
  const recent = { count: 0, errors: 0 }
  // In their order, so that failures in a row are those of the end.
  for (const tally of [...slots.values()].sort((a, b) => a.lastAt - b.lastAt)) {
    mergeTally(whole, tally)
    const weight = 2 ** (-Math.max(0, now - tally.lastAt) / HALF_LIFE_MS)
    const { count, errors } = verdictsOf(tally)
    recent.count += weight * count
    recent.errors += weight * errors
  }
  return {
    tool,
    version,
    implementation,
    count: whole.count,
    errors: Object.fromEntries([...whole.errors].sort(([, a], [, b]) => b - a)),
    latency: latencyOf(whole.latency),
    bytesIn: whole.bytesIn,
    bytesOut: whole.bytesOut,
    firstAt: whole.firstAt || (tests?.at ?? 0),
    lastAt: Math.max(whole.lastAt, tests?.at ?? 0),
    recent,
    failuresInARow: whole.failuresInARow,
    tests: tests && {
      passed: tests.passed,
      failed: tests.failed,
      at: tests.at,
      latency: latencyOf(tests.latency),
    },
  }
}
