import { oneLine } from '../model/index.ts'
import type { Input } from './command.ts'

/** What packages must have, by the name of the option that says so. */
export type Filters = Readonly<Record<string, string>>

export function filtersOf(input: Input, names: readonly string[]): Filters {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = input.text(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** As they were written. */
export function filterWords(filters: Filters): string[] {
  return Object.entries(filters).map(([name, value]) => `--${name} ${oneLine(value)}`)
}
