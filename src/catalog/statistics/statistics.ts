import type { ToolStatistics } from '../../model/index.ts'
import { compactJournals, readJournals } from '../../platform/index.ts'
import { boundBook, copyRow, createBook, mergeRow, type Row } from './book.ts'
import { barsOf, type HistogramBar } from './histogram.ts'
import { formatRows, parseRows } from './row-text.ts'
import { sinceSlot, startOf } from './slot.ts'
import { summarise } from './summary.ts'

/** What is known of the tools of this machine, as it was when it was opened. */
export interface Statistics {
  /** Each tool in each version and way; of a way also the attempts that another one had to take over. */
  all(): readonly ToolStatistics[]
  of(tool: string): readonly ToolStatistics[]
  /** Each tool once, all versions and ways together; the version is the one that was used last. */
  totals(): readonly ToolStatistics[]
  /** Each tool in each version, its ways together. */
  versions(): readonly ToolStatistics[]
  /** Those that fit, as one; undefined when none does. */
  together(fits: (one: Pick<ToolStatistics, 'tool' | 'version'>) => boolean): ToolStatistics | undefined
  /** How long successful calls of a tool took. */
  histogram(tool: string): readonly HistogramBar[]
  /** From where on calls are counted, milliseconds since 1970; null: all that are kept. */
  readonly since: number | null
  /** Files that were not read to the end. */
  readonly damaged: readonly string[]
}

export interface StatisticsOptions {
  /** Milliseconds since 1970; rounded down to the hour, further back to the day. */
  readonly since?: number
  readonly now?: number
}

/** Reads the folder; nothing in it when it is not there. */
export function openStatistics(folder: string, options: StatisticsOptions = {}): Statistics {
  const { since: asked, now = Date.now() } = options
  const since = asked === undefined ? null : sinceSlot(asked, now)
  const { records, damaged } = readJournals(folder)
  const book = createBook()
  for (const record of records) for (const row of parseRows(record)) book.add(row)
  const rows = book
    .rows()
    .map((row) => (since === null ? row : rowSince(row, since)))
    .filter(({ slots, tests }) => slots.size > 0 || tests !== null)
    .sort(byName)
  const summaries = togetherBy(rows, ({ tool, version, implementation }) =>
    JSON.stringify([tool, version, implementation]),
  ).map((row) => summarise(row, now))
  const calls = rows.filter(({ isPassedOver }) => !isPassedOver)
  return {
    since,
    damaged,
    all: () => summaries,
    of: (tool) => summaries.filter((one) => one.tool === tool),
    totals: () => togetherBy(calls, ({ tool }) => tool).map((row) => summariseWhole(row, now)),
    versions: () =>
      togetherBy(calls, ({ tool, version }) => `${tool} ${version}`).map((row) => summariseWhole(row, now)),
    together: (fits) => togetherBy(calls.filter(fits), () => '').map((row) => summariseWhole(row, now))[0],
    histogram: (tool) => barsOf(rows.filter((row) => row.tool === tool)),
  }
}

/** Takes up what all processes wrote; undefined when another one is at it. `keep` says which tools stay. */
export async function compactStatistics(
  folder: string,
  options: { readonly wait: boolean; readonly keep?: (tool: string) => boolean },
): Promise<{ readonly setAside: readonly string[] } | undefined> {
  const { wait, keep = () => true } = options
  return compactJournals(
    folder,
    async (records) => {
      const book = createBook()
      const pause = createPauses()
      for (const record of records) {
        for (const row of parseRows(record)) if (keep(row.tool)) book.add(row)
        await pause()
      }
      const texts: string[] = []
      for (const row of boundBook(book.rows(), Date.now())) {
        texts.push(formatRows([row]))
        await pause()
      }
      return texts
    },
    { wait },
  )
}

/** Calls are answered meanwhile. */
function createPauses(): () => Promise<void> | undefined {
  let begun = performance.now()
  return () => {
    if (performance.now() - begun < LONGEST_TURN_MS) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        begun = performance.now()
        resolve()
      })
    })
  }
}

const LONGEST_TURN_MS = 2

function rowSince(row: Row, since: number): Row {
  const slots = [...row.slots].filter(([slot]) => startOf(slot) >= since)
  const tests = row.tests !== null && row.tests.at >= since ? row.tests : null
  return { ...row, slots: new Map(slots), tests }
}

/** Those of one key as one, under the version that was used last. */
function togetherBy(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const groups = new Map<string, [Row, ...Row[]]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups.values()].map(mergeAll)
}

function mergeAll(rows: readonly [Row, ...Row[]]): Row {
  if (rows.length === 1) return rows[0]
  const newest = rows.reduce((a, b) => (lastOf(b) > lastOf(a) ? b : a))
  const whole = copyRow(newest)
  for (const row of rows) if (row !== newest) mergeRow(whole, row)
  return whole
}

function summariseWhole(row: Row, now: number): ToolStatistics {
  return { ...summarise(row, now), implementation: null }
}

function lastOf({ slots, tests }: Row): number {
  return Math.max(tests?.at ?? 0, ...[...slots.values()].map(({ lastAt }) => lastAt))
}

function byName(a: Row, b: Row): number {
  if (a.tool !== b.tool) return a.tool < b.tool ? -1 : 1
  if (a.version !== b.version) return a.version < b.version ? -1 : 1
  return (a.implementation ?? '') < (b.implementation ?? '') ? -1 : 1
}
