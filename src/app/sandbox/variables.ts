import { parsePermission } from '../../formats/index.ts'
import type { Origin } from '../../model/index.ts'
import type { Accepted } from './prepare.ts'

type Variables = Readonly<Record<string, string>>

/** Without those that a package asks for and nobody granted it. */
export function grantedVariables(
  env: Variables,
  origin: Origin,
  { permissions }: Pick<Accepted, 'permissions'>,
): Variables {
  if (origin.kind !== 'package') return env
  const granted = variablesOf(permissions)
  const refused = variablesOf(origin.package.permissions).filter((name) => !granted.includes(name))
  if (refused.length === 0) return env
  return Object.fromEntries(Object.entries(env).filter(([name]) => !refused.includes(name)))
}

function variablesOf(words: readonly string[] | null): readonly string[] {
  return (words ?? []).flatMap((word) => {
    const parsed = parsePermission(word)
    if (parsed === undefined || 'problem' in parsed) return []
    return parsed.kind === 'env' || parsed.kind === 'secret' ? [parsed.name] : []
  })
}
