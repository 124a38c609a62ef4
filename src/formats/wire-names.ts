import type { Config } from '../model/index.ts'

/** What clients call things of these names, where that is something else. A safe name that two would share is used by neither. */
export function wireNames(names: readonly string[], style: Config['nameStyle']): ReadonlyMap<string, string> {
  if (style === 'raw') return new Map()
  const claims = new Map<string, number>()
  for (const name of names) claims.set(safe(name), (claims.get(safe(name)) ?? 0) + 1)
  return new Map(names.map((name) => [name, claims.get(safe(name)) === 1 ? safe(name) : name]))
}

function safe(name: string): string {
  return name.replaceAll('.', '_')
}
