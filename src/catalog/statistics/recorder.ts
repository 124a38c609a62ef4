import { createBook, type Row, type TestTally } from './book.ts'
import { formatRows } from './row-text.ts'
import { addTo, bucketOf, type Sketch } from './sketch.ts'
import { slotAt } from './slot.ts'
import { type CountedCall, countCall, emptyTally, type Tally } from './tally.ts'

/** A call as it is told when it is over. */
export interface HeardCall extends CountedCall {
  readonly tool: string
  readonly version: string
  readonly implementation?: string
  /** Those that were tried before and could not start. */
  readonly passedOver?: readonly { readonly implementation: string }[]
}

/** Sums up calls and tests until someone writes them down. */
export interface Recorder {
  /** `at`: when it ended; now unless told. */
  heard(call: HeardCall, at?: number): void
  /** Of one tool in one run; the time of the run tells its tests from those of another. */
  tested(tool: string, version: string, tests: HeardTests): void
  /** What came together since the last time that was settled, as one record; undefined when there is nothing. */
  take(): string | undefined
  /** It is written. */
  settle(): void
}

export interface HeardTests {
  readonly passed: number
  readonly failed: number
  readonly at: number
  readonly ms: readonly number[]
}

interface Cell {
  readonly tool: string
  readonly version: string
  readonly implementation: string | null
  readonly isPassedOver: boolean
  readonly tally: Tally
}

const NONE: readonly never[] = []
const NOT_STARTED: CountedCall = { ms: 0, reason: 'spawn', bytesIn: 0, bytesOut: 0 }

export function createRecorder(now: () => number = Date.now): Recorder {
  // Found by the name first: no key has to be put together for a call.
  let cells = new Map<string, Cell[]>()
  /** Most calls are counted where the one before was. */
  let last: Cell | undefined
  let tests: Row[] = []
  let taken: Row[] = []

  function drain(): Row[] {
    const rows: Row[] = [...tests]
    for (const { tally, ...way } of [...cells.values()].flat()) {
      const slots = new Map([[slotAt(tally.lastAt), tally]])
      rows.push({ ...way, slots, tests: null })
    }
    cells = new Map()
    last = undefined
    tests = []
    return rows
  }

  function tallyOf(
    tool: string,
    version: string,
    implementation: string | null,
    isPassedOver: boolean,
  ): Tally {
    const isIt = (one: Cell) =>
      one.tool === tool &&
      one.version === version &&
      one.implementation === implementation &&
      one.isPassedOver === isPassedOver
    if (last !== undefined && isIt(last)) return last.tally
    const ways = cells.get(tool)
    const known = ways?.find(isIt)
    last = known ?? { tool, version, implementation, isPassedOver, tally: emptyTally() }
    if (ways === undefined) cells.set(tool, [last])
    else if (known === undefined) ways.push(last)
    return last.tally
  }

  return {
    heard(call, at = now()) {
      const { tool, version, implementation = null, passedOver = NONE } = call
      for (const other of passedOver) {
        // When none could start, the last one is also the one that failed.
        if (other.implementation !== implementation)
          countCall(tallyOf(tool, version, other.implementation, true), NOT_STARTED, at)
      }
      countCall(tallyOf(tool, version, implementation, false), call, at)
    },
    tested(tool, version, { passed, failed, at, ms }) {
      const latency: Sketch = new Map()
      for (const one of ms) addTo(latency, bucketOf(one))
      const tally: TestTally = { passed, failed, at, latency }
      tests.push({ tool, version, implementation: null, isPassedOver: false, slots: new Map(), tests: tally })
    },
    take() {
      const drained = drain()
      taken = taken.length === 0 ? drained : together([...taken, ...drained])
      return taken.length === 0 ? undefined : formatRows(taken)
    },
    settle() {
      taken = []
    },
  }
}

/** What cannot be written for hours takes no more room than what can. */
function together(rows: readonly Row[]): Row[] {
  const book = createBook()
  for (const row of rows) book.add(row)
  return [...book.rows()]
}
