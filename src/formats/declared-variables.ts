import type { Command } from '../model/index.ts'
import { HARMLESS_VARIABLES } from './harmless-variables.ts'
import { parsePermission } from './permission.ts'

/** What a package sees of the environment: what cannot be a secret, and what `env:NAME` and `secret:NAME` say. */
export function declaredVariables(
  permissions: readonly string[] | null,
): Pick<Command, 'passEnv' | 'secrets'> {
  const parsed = (permissions ?? []).map(parsePermission)
  const namesOf = (kind: 'env' | 'secret') =>
    parsed.flatMap((one) => (one !== undefined && 'kind' in one && one.kind === kind ? [one.name] : []))
  const secrets = namesOf('secret')
  const passEnv = [...HARMLESS_VARIABLES, ...namesOf('env')]
  return secrets.length === 0 ? { passEnv } : { passEnv, secrets }
}
