import type { CallRecord } from '../../model/index.ts'
import { argumentsAt, commonSources, differentValues, sourcesOf } from './links.ts'

/** Calls that were made one after the other more than once, each with something that came out of an earlier one. */
export interface Sequence {
  readonly tools: readonly string[]
  /** Every time it was seen. */
  readonly occurrences: readonly (readonly CallRecord[])[]
  /** How many of them had different arguments: the same call again proves nothing. */
  readonly support: number
  /** Calls of its first tool, in any company. */
  readonly firstCalls: number
  /** 0 to 1: grows with `support`, and with how often its first tool was called for this. */
  readonly score: number
}

const LONGEST = 8
/** How many calls later its next step may be. */
const FURTHEST = 24
/** A longer pause ends a piece of work. */
const PAUSE_MS = 30 * 60_000
const LEAST_SUPPORT = 2

/** The best first. */
export function findSequences(records: readonly CallRecord[]): Sequence[] {
  const byTools = new Map<string, CallRecord[][]>()
  for (const session of sessionsOf(records)) {
    for (const start of session.keys()) {
      for (const calls of linkedFrom(session, start)) {
        const key = JSON.stringify(calls.map(({ tool }) => tool))
        const seen = byTools.get(key)
        if (seen === undefined) byTools.set(key, [calls])
        else seen.push(calls)
      }
    }
  }
  const all = [...byTools.values()].flatMap((occurrences) => judge(occurrences, records) ?? [])
  return all
    .filter((one) => !all.some((other) => isPartOf(one, other)))
    .sort((a, b) => b.score - a.score || b.tools.length - a.tools.length || (a.tools < b.tools ? -1 : 1))
}

/** The calls of each connection, in their order, without long pauses. */
function sessionsOf(records: readonly CallRecord[]): CallRecord[][] {
  const byConnection = new Map<string, CallRecord[]>()
  for (const record of records.toSorted((a, b) => a.at - b.at)) {
    const own = byConnection.get(record.who)
    if (own === undefined) byConnection.set(record.who, [record])
    else own.push(record)
  }
  return [...byConnection.values()].flatMap((calls) => {
    const sessions: CallRecord[][] = []
    let before: CallRecord | undefined
    for (const call of calls) {
      if (before === undefined || call.at - before.at > PAUSE_MS) sessions.push([])
      sessions.at(-1)?.push(call)
      before = call
    }
    return sessions
  })
}

/**
 * The runs of calls that begin here, each call with something of an earlier one: of two, of three, and so on. Others
 * may lie between: several clients can share a connection.
 */
function linkedFrom(session: readonly CallRecord[], start: number): CallRecord[][] {
  const runs: CallRecord[][] = []
  let run = session.slice(start, start + 1)
  for (const call of session.slice(start + 1, start + 1 + FURTHEST)) {
    const longer = [...run, call]
    const isLinked = Object.keys(call.input).some((name) => sourcesOf(longer, run.length, name).length > 0)
    if (!isLinked) continue
    run = longer
    runs.push(run)
    if (run.length === LONGEST) break
  }
  return runs
}

/** A sequence when every step of it takes, each time from the same place, what was not always the same. */
function judge(occurrences: readonly CallRecord[][], records: readonly CallRecord[]): Sequence | undefined {
  const [first = []] = occurrences
  const isProven = first.slice(1).every((_call, index) => {
    const at = index + 1
    return argumentsAt(occurrences, at).some(
      (name) =>
        differentValues(occurrences, at, name) >= LEAST_SUPPORT &&
        commonSources(occurrences, at, name).length > 0,
    )
  })
  if (!isProven) return undefined
  const support = new Set(occurrences.map(fingerprintOf)).size
  if (support < LEAST_SUPPORT) return undefined
  const firstCalls = records.filter(({ tool }) => tool === first[0]?.tool).length
  const score = (support / (support + 1)) * (occurrences.length / firstCalls)
  return {
    tools: first.map(({ tool }) => tool),
    occurrences,
    support,
    firstCalls,
    score: Math.round(Math.min(1, score) * 100) / 100,
  }
}

function fingerprintOf(calls: readonly CallRecord[]): string {
  return JSON.stringify(
    calls.map(({ input }) => Object.entries(input).map(([name, { hash }]) => [name, hash])),
  )
}

/** Contained in a longer one that was seen as often. */
function isPartOf(one: Sequence, other: Sequence): boolean {
  if (other.tools.length <= one.tools.length || other.support < one.support) return false
  return other.tools.some((_tool, start) => one.tools.every((tool, at) => other.tools[start + at] === tool))
}
