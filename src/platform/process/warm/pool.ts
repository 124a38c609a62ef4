import type { ProcessStarter } from '../starter.ts'
import { createDemand } from './demand.ts'
import { isBinary, type Plan } from './plan.ts'
import { residentBytes, startWaiting, type Waiting } from './waiting.ts'

export interface WarmSettings {
  readonly warm: 'auto' | 'off'
  /** How many interpreters may wait, of all kinds together. */
  readonly processes: number
  /** What they may hold in memory together. */
  readonly memoryBytes: number
}

/** Interpreters that wait, as many as the calls of the last seconds would use. */
export interface Pool {
  /** One for this call, when there is one. In any case the call counts as demand. */
  take(plan: Plan): Waiting | undefined
  /** How it went with one that was taken. */
  report(plan: Plan, served: boolean): void
  close(): Promise<void>
}

/** After this time without a call none waits any more; no process waits longer either. */
const IDLE_MS = 120_000
/** A call gets the processor first: one that waits is replaced when it has ended its call, or after this time. */
const FILL_DELAY_MS = 200
/** Processes that end while they wait, or do not take a call, before it is given up for a while. */
const FAILURES = 3
const GIVE_UP_MS = 60_000
/** Until the first of a kind has been measured. */
const FIRST_GUESS = { startMs: 100, bytes: { python: 16 * 1024 * 1024, node: 64 * 1024 * 1024 } } as const

interface Kind {
  plan: Plan
  readonly demand: ReturnType<typeof createDemand>
  waiting: Seat[]
  lastCall: number
  startMs: number
  bytes: number
  failures: number
  coldUntil: number
  fill: NodeJS.Timeout | undefined
  idle: NodeJS.Timeout | undefined
}

/** A process that waits, or will as soon as it has started. */
interface Seat {
  bytes: number
  waiting: Waiting | undefined
}

export function createPool(
  starter: ProcessStarter,
  settings: () => WarmSettings,
  bootstrap: () => string,
): Pool {
  const kinds = new Map<string, Kind>()
  const ending = new Set<Promise<unknown>>()
  let closed = false

  function kindOf(plan: Plan): Kind {
    const known = kinds.get(plan.key)
    if (known !== undefined && known.plan.version === plan.version) return known
    if (known !== undefined) drop(known)
    const kind: Kind = {
      plan,
      demand: createDemand(),
      waiting: [],
      lastCall: 0,
      startMs: FIRST_GUESS.startMs,
      bytes: FIRST_GUESS.bytes[plan.language],
      failures: 0,
      coldUntil: isBinary(plan.program) ? 0 : Number.POSITIVE_INFINITY,
      fill: undefined,
      idle: undefined,
    }
    kinds.set(plan.key, kind)
    return kind
  }

  function take(plan: Plan): Waiting | undefined {
    const kind = kindOf(plan)
    const now = performance.now()
    kind.demand.note(now)
    kind.lastCall = now
    clearTimeout(kind.idle)
    kind.idle = setTimeout(() => drop(kind), IDLE_MS).unref()
    const at = kind.waiting.findIndex((seat) => seat.waiting !== undefined)
    const [seat] = at < 0 ? [] : kind.waiting.splice(at, 1)
    fillSoon(kind)
    return seat?.waiting
  }

  function fillSoon(kind: Kind, delayMs = FILL_DELAY_MS): void {
    if (delayMs === 0) clearTimeout(kind.fill)
    else if (kind.fill !== undefined) return
    kind.fill = setTimeout(() => {
      kind.fill = undefined
      fill(kind)
    }, delayMs).unref()
  }

  function fill(kind: Kind): void {
    const now = performance.now()
    if (closed || settings().warm === 'off' || now < kind.coldUntil || kinds.get(kind.plan.key) !== kind)
      return
    const wanted = Math.max(1, Math.ceil(kind.demand.perMs(now) * kind.startMs))
    while (kind.waiting.length < wanted && makeRoom(kind)) void start(kind)
  }

  /** The kind that was not called for the longest time gives way, but only to one that has none at all. */
  function makeRoom(kind: Kind): boolean {
    const { processes, memoryBytes } = settings()
    for (;;) {
      const seats = Array.from(kinds.values(), ({ waiting }) => waiting).flat()
      const bytes = seats.reduce((sum, seat) => sum + seat.bytes, kind.bytes)
      if (seats.length < processes && bytes <= memoryBytes) return true
      const [oldest] = Array.from(kinds.values())
        .filter((other) => other !== kind && other.waiting.length > 0)
        .sort((one, other) => one.lastCall - other.lastCall)
      if (oldest === undefined || kind.waiting.length > 0) return false
      endSeat(oldest, oldest.waiting.length - 1)
    }
  }

  async function start(kind: Kind): Promise<void> {
    const seat: Seat = { bytes: kind.bytes, waiting: undefined }
    kind.waiting.push(seat)
    const waiting = await startWaiting(starter, kind.plan, bootstrap).catch(() => undefined)
    if (waiting === undefined) {
      leave(kind, seat)
      return failed(kind)
    }
    // It lost its place while it started.
    if (!kind.waiting.includes(seat)) return end(waiting)
    seat.waiting = waiting
    void waiting.process.gone.then(() => {
      if (leave(kind, seat)) failed(kind)
    })
    const tooOld = setTimeout(() => {
      if (!leave(kind, seat)) return
      end(waiting)
      fillSoon(kind)
    }, IDLE_MS).unref()
    void waiting.process.gone.then(() => clearTimeout(tooOld))
    const startMs = await waiting.ready
    if (startMs === undefined) return
    kind.startMs = (kind.startMs + startMs) / 2
    kind.bytes = residentBytes(waiting.process.pid) || kind.bytes
    seat.bytes = kind.bytes
  }

  function leave(kind: Kind, seat: Seat): boolean {
    const at = kind.waiting.indexOf(seat)
    if (at >= 0) kind.waiting.splice(at, 1)
    return at >= 0
  }

  function failed(kind: Kind): void {
    kind.failures++
    if (kind.failures < FAILURES) {
      fillSoon(kind)
      return
    }
    kind.failures = 0
    kind.coldUntil = performance.now() + GIVE_UP_MS
  }

  function endSeat(kind: Kind, at: number): void {
    const [seat] = kind.waiting.splice(at, 1)
    if (seat?.waiting !== undefined) end(seat.waiting)
  }

  function end({ process }: Waiting): void {
    for (const stream of [process.stdout, process.stderr]) stream.resume()
    const promise = process.end()
    ending.add(promise)
    void promise.then(() => ending.delete(promise))
  }

  function drop(kind: Kind): void {
    clearTimeout(kind.fill)
    clearTimeout(kind.idle)
    if (kinds.get(kind.plan.key) === kind) kinds.delete(kind.plan.key)
    while (kind.waiting.length > 0) endSeat(kind, 0)
  }

  return {
    take,
    report(plan, served) {
      const kind = kinds.get(plan.key)
      if (kind === undefined) return
      if (!served) return failed(kind)
      kind.failures = 0
      fillSoon(kind, 0)
    },
    async close() {
      closed = true
      for (const kind of kinds.values()) drop(kind)
      await Promise.all(ending)
    },
  }
}
