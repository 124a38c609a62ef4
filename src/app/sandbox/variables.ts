import { parsePermission } from '../../formats/index.ts'
import type { Origin } from '../../model/index.ts'
import type { Accepted } from './prepare.ts'

/** Leaves out the variables that a package asks for and nobody granted it. */
export function withGrantedVariables<R extends { readonly env: Readonly<Record<string, string>> }>(
  request: R,
  origin: Origin,
  { permissions }: Accepted,
): R {
  if (origin.kind !== 'package') return request
  const granted = variablesOf(permissions)
  const refused = variablesOf(origin.package.permissions).filter((name) => !granted.includes(name))
  if (refused.length === 0) return request
  const env = Object.entries(request.env).filter(([name]) => !refused.includes(name))
  return { ...request, env: Object.fromEntries(env) }
}

function variablesOf(words: readonly string[] | null): readonly string[] {
  return (words ?? []).flatMap((word) => {
    const parsed = parsePermission(word)
    if (parsed === undefined || 'problem' in parsed) return []
    return parsed.kind === 'env' || parsed.kind === 'secret' ? [parsed.name] : []
  })
}
