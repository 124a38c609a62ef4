import type { Issue, Path } from './declaration.ts'

/** A map, as readers of YAML and JSON give it. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function mismatch(issues: Issue[], at: Path, expected: string, value: unknown): undefined {
  return fail(issues, { path: at, message: `must be ${expected}, not ${show(value)}` })
}

export function fail(issues: Issue[], issue: Issue): undefined {
  issues.push(issue)
  return undefined
}

/** A value as messages quote it. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  return JSON.stringify(typeof value === 'string' ? cut(value) : value)
}

/** Enough of a value to recognise it by. */
export function cut(written: string): string {
  return written.length > 80 ? `${written.slice(0, 80)}…` : written
}
