import { isToolName } from '../../model/index.ts'
import type { Row, TestTally } from './book.ts'
import { isBucket, type Sketch } from './sketch.ts'
import { isSlot, type Slot } from './slot.ts'
import type { Tally } from './tally.ts'

/** Rows as one record of the journal. */
export function formatRows(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map(({ tool, version, implementation, isPassedOver, slots, tests }) => [
      tool,
      version,
      implementation,
      [...slots].map(([slot, tally]) => [slot, ...formatTally(tally)]),
      tests && [tests.passed, tests.failed, tests.at, [...tests.latency].flat()],
      ...(isPassedOver ? [true] : []),
    ]),
  )
}

/** What is not as it is written here (by another version, or by hand) is left out. */
export function parseRows(text: string): Row[] {
  try {
    const rows: unknown = JSON.parse(text)
    return Array.isArray(rows) ? rows.flatMap((row) => parseRow(row) ?? []) : []
  } catch {
    return []
  }
}

function formatTally(tally: Tally): unknown[] {
  return [
    tally.count,
    [...tally.errors].flat(),
    [...tally.latency].flat(),
    tally.bytesIn,
    tally.bytesOut,
    tally.firstAt,
    tally.lastAt,
    tally.successAt,
    tally.failureAt,
    tally.failuresInARow,
  ]
}

const LONGEST_WORD = 256

function parseRow(written: unknown): Row | undefined {
  if (!Array.isArray(written)) return undefined
  const [tool, version, implementation, slots, tests, passedOver]: unknown[] = written
  if (!isWord(tool) || !isToolName(tool) || !isWord(version)) return undefined
  if (implementation !== null && !isWord(implementation)) return undefined
  if (!Array.isArray(slots)) return undefined
  const found = slots.flatMap((slot): [Slot, Tally][] => {
    const tally = Array.isArray(slot) ? parseTally(slot.slice(1)) : undefined
    return tally !== undefined && isWord(slot[0]) && isSlot(slot[0]) ? [[slot[0], tally]] : []
  })
  return {
    tool,
    version,
    implementation,
    isPassedOver: passedOver === true,
    slots: new Map(found),
    tests: parseTests(tests),
  }
}

function parseTally(written: readonly unknown[]): Tally | undefined {
  const [count, errors, latency, ...numbers] = written
  const sketch = parseSketch(latency)
  const reasons = parseErrors(errors)
  if (!isCount(count) || sketch === undefined || reasons === undefined) return undefined
  if (numbers.length < 7 || !numbers.every(isCount) || !numbers.slice(2, 6).every(isTime)) return undefined
  const [bytesIn = 0, bytesOut = 0, firstAt = 0, lastAt = 0, successAt = 0, failureAt = 0, inARow = 0] =
    numbers
  return {
    count,
    errors: reasons,
    latency: sketch,
    bytesIn,
    bytesOut,
    firstAt,
    lastAt,
    successAt,
    failureAt,
    failuresInARow: inARow,
  }
}

function parseTests(written: unknown): TestTally | null {
  if (!Array.isArray(written)) return null
  const [passed, failed, at, latency]: unknown[] = written
  const sketch = parseSketch(latency)
  if (!isCount(passed) || !isCount(failed) || !isCount(at) || !isTime(at) || sketch === undefined) return null
  return { passed, failed, at, latency: sketch }
}

function parseSketch(written: unknown): Sketch | undefined {
  return parsePairs(written, isBucket)
}

function parseErrors(written: unknown): Map<string, number> | undefined {
  return parsePairs(written, (reason): reason is string => isWord(reason) && /^[a-z_]+$/.test(reason))
}

/** Name and number in turn. */
function parsePairs<K>(written: unknown, isKey: (key: unknown) => key is K): Map<K, number> | undefined {
  if (!Array.isArray(written)) return undefined
  const pairs = new Map<K, number>()
  for (let i = 0; i + 1 < written.length; i += 2) {
    const key: unknown = written[i]
    const count: unknown = written[i + 1]
    if (!isKey(key) || !isCount(count)) return undefined
    pairs.set(key, count)
  }
  return pairs
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_WORD
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

function isTime(value: number): boolean {
  return value <= LATEST_MS
}

/** The last moment that a date can say. */
const LATEST_MS = 8.64e15
