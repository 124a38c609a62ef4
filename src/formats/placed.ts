import type { Problem } from '../model/index.ts'
import type { Flaw, Issue, Path } from './shape.ts'

/** Something wrong with a file, and exactly where. */
export interface PlacedProblem extends Problem {
  readonly line: number
  readonly column: number
  /** JSON pointer of the value concerned. */
  readonly pointer: string
  /** A warning does not refuse the file. */
  readonly severity: 'error' | 'warning'
}

/** What a text says, with everything that is wrong with it. */
export interface Reading<T> {
  /** undefined when the text cannot be parsed or its top does not fit; otherwise what did fit of it. */
  readonly value: T | undefined
  readonly problems: readonly PlacedProblem[]
  /** A problem that shows only later (a file that is not there), at the place that says so. */
  readonly problemAt: (path: Path, flaw: Flaw & { readonly severity?: 'warning' }) => PlacedProblem
}

export function hasErrors(problems: readonly PlacedProblem[]): boolean {
  return problems.some(({ severity }) => severity === 'error')
}

/** Where a value begins, and how the file spells it. */
export interface Spot {
  readonly offset: number
  readonly spelled?: string
}

/** Turns issues into problems with their place. `find` knows where a path stands. */
export function createPlacer(
  file: string,
  source: string,
  find: (path: Path, onKey: boolean) => Spot | undefined,
) {
  const placeOf = createPlaces(source)
  return (issue: Issue): PlacedProblem => {
    const spot = find(issue.path, issue.onKey === true)
    const quoted = spot?.spelled === undefined ? undefined : issue.quote?.(spot.spelled)
    const hint = quoted === undefined ? issue.hint : `put it in quotes: ${issue.path.at(-1)}: "${quoted}"`
    const name = issue.path.filter((part) => typeof part === 'string').join('.')
    return {
      file,
      ...placeOf(spot?.offset ?? 0),
      pointer: toPointer(issue.path),
      message: name === '' || issue.onKey ? issue.message : `\`${name}\` ${issue.message}`,
      ...(hint === undefined ? {} : { hint }),
      severity: issue.severity ?? 'error',
    }
  }
}

/** A file that cannot be read at all. */
export function refuse(file: string, problems: readonly (Flaw & Partial<Place>)[]): Reading<never> {
  return {
    value: undefined,
    problems: problems.map((problem) => ({
      file,
      line: 1,
      column: 1,
      pointer: '',
      severity: 'error',
      ...problem,
    })),
    problemAt: (path, flaw) => ({
      file,
      line: 1,
      column: 1,
      pointer: toPointer(path),
      severity: 'error',
      ...flaw,
    }),
  }
}

export interface Place {
  readonly line: number
  readonly column: number
}

/** Line and column of an offset, both from 1. */
export function createPlaces(source: string): (offset: number) => Place {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= lineStarts(source)
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(source: string): number[] {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

export function toPointer(path: Path): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')
}
