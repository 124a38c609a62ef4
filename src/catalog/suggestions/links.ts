import type { CallRecord } from '../../model/index.ts'

/** An output of an earlier call that is an argument of a later one. */
export interface Source {
  /** The place of the earlier call among those of the sequence. */
  readonly from: number
  readonly path: string
}

/** Where the argument of a call may have come from: an equal value in what an earlier one gave. */
export function sourcesOf(calls: readonly CallRecord[], at: number, argument: string): Source[] {
  const value = calls[at]?.input[argument]
  if (value === undefined || value.hash === '' || value.weight === 0) return []
  const earlier = calls.slice(0, at)
  // What the caller already had then did not come out of a call.
  if (earlier.some(({ input }) => Object.values(input).some(({ hash }) => hash === value.hash))) return []
  return earlier.flatMap(({ output }, from) =>
    output.filter(({ hash }) => hash === value.hash).map(({ path }) => ({ from, path })),
  )
}

/** The sources that all occurrences of a sequence have in common. */
export function commonSources(
  occurrences: readonly (readonly CallRecord[])[],
  at: number,
  argument: string,
): Source[] {
  const [first = [], ...others] = occurrences.map((calls) => sourcesOf(calls, at, argument))
  return first.filter((source) => others.every((sources) => sources.some((one) => isSame(one, source))))
}

/** The nearest step, and of it the shortest way: what is said twice is said best at the top. */
export function bestSource(sources: readonly Source[]): Source | undefined {
  const [best] = sources.toSorted(
    (a, b) => b.from - a.from || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  )
  return best
}

function isSame(a: Source, b: Source): boolean {
  return a.from === b.from && a.path === b.path
}

/** Names of all arguments that a call of the sequence was given in any occurrence. */
export function argumentsAt(occurrences: readonly (readonly CallRecord[])[], at: number): string[] {
  return [...new Set(occurrences.flatMap((calls) => Object.keys(calls[at]?.input ?? {})))]
}

/** How many different values an argument had. */
export function differentValues(
  occurrences: readonly (readonly CallRecord[])[],
  at: number,
  argument: string,
): number {
  return new Set(occurrences.map((calls) => calls[at]?.input[argument]?.hash ?? '')).size
}
