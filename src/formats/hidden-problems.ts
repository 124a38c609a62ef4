import { findHiddenIn, type Hidden, type Json } from '../model/index.ts'
import type { PlacedProblem, Reading } from './placed.ts'

const HINT = 'take it out: models would read what nobody sees'

/** The first character of a package that is there to be read by models and by nobody else. */
export function hiddenProblems(value: unknown, problemAt: Reading<unknown>['problemAt']): PlacedProblem[] {
  // Shapes read nothing but JSON.
  const hidden = findHiddenIn(value as Json | undefined)
  return hidden ? [problemAt(hidden.path, { message: hiddenMessage(hidden), hint: HINT })] : []
}

export function hiddenMessage({ what, code }: Hidden): string {
  return `hides ${what} (${code})`
}
