import { mergeInto, type Sketch } from './sketch.ts'
import { coarsen, DAY_MS, DAYS_KEPT_MS, HOURS_KEPT_MS, type Slot } from './slot.ts'
import { emptyTally, mergeTally, type Tally } from './tally.ts'

/** One tool in one version, carried out in one way. */
export interface Row {
  readonly tool: string
  readonly version: string
  readonly implementation: string | null
  /** Not calls, but attempts: it could not start, and the call went to another implementation. */
  readonly isPassedOver: boolean
  readonly slots: Map<Slot, Tally>
  tests: TestTally | null
}

/** The newest run of the tests. */
export interface TestTally {
  readonly passed: number
  readonly failed: number
  readonly at: number
  readonly latency: Sketch
}

/** All rows, each once. */
export interface Book {
  add(row: Row): void
  rows(): readonly Row[]
}

export function createBook(): Book {
  const rows = new Map<string, Row>()
  return {
    add(row) {
      const key = JSON.stringify([row.tool, row.version, row.implementation, row.isPassedOver])
      const known = rows.get(key)
      if (known === undefined) rows.set(key, copyRow(row))
      else mergeRow(known, row)
    },
    rows: () => [...rows.values()],
  }
}

/** Several rows as one that tells about all of them. */
export function mergeRow(into: Row, other: Row): void {
  for (const [slot, tally] of other.slots) addTally(into, slot, tally)
  if (other.tests !== null) into.tests = newerTests(into.tests, other.tests)
}

export function copyRow(row: Row): Row {
  const copy: Row = { ...row, slots: new Map(), tests: null }
  mergeRow(copy, row)
  return copy
}

function addTally(row: Row, slot: Slot, tally: Tally): void {
  const sum = row.slots.get(slot) ?? emptyTally()
  row.slots.set(slot, sum)
  mergeTally(sum, tally)
}

/** Of one run several tests may be told one after the other. */
function newerTests(one: TestTally | null, other: TestTally): TestTally {
  if (one === null || other.at > one.at) return other
  if (other.at < one.at) return one
  const latency: Sketch = new Map(one.latency)
  mergeInto(latency, other.latency)
  return { at: one.at, passed: one.passed + other.passed, failed: one.failed + other.failed, latency }
}

/** More than anyone has: a store that grows on is one that somebody fills. */
const MOST_ROWS = 20_000
const MOST_SLOTS = 100_000

/** The same with old times told less exactly, and with the rows that were used last where there are too many. */
export function boundBook(all: readonly Row[], now: number): Row[] {
  const rows = [...all].sort((a, b) => lastUse(b) - lastUse(a)).slice(0, MOST_ROWS)
  const bounded = rows.map((row) => coarsenRow(row, now, HOURS_KEPT_MS, DAYS_KEPT_MS))
  const slots = bounded.reduce((sum, row) => sum + row.slots.size, 0)
  return slots <= MOST_SLOTS ? bounded : bounded.map((row) => coarsenRow(row, now, DAY_MS, 7 * DAY_MS))
}

function coarsenRow(row: Row, now: number, hoursMs: number, daysMs: number): Row {
  const coarse: Row = { ...row, slots: new Map() }
  for (const [slot, tally] of row.slots) addTally(coarse, coarsen(slot, now, hoursMs, daysMs), tally)
  return coarse
}

function lastUse({ slots, tests }: Row): number {
  let last = tests?.at ?? 0
  for (const { lastAt } of slots.values()) last = Math.max(last, lastAt)
  return last
}
