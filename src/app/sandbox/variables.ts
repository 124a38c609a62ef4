import { parsePermission } from '../../formats/index.ts'
import type { Command, Origin } from '../../model/index.ts'
import { environmentOf, secretsFor } from '../../runtime/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { Secrets } from '../secrets.ts'
import { harmlessEnvironment, toolEnvironment, type World } from '../world.ts'
import type { Accepted } from './prepare.ts'

type Variables = Readonly<Record<string, string>>

/** What a program would see if nothing were held back: of its surroundings, its secrets and its manifest. */
export function seenVariables(
  world: World,
  { config }: LoadedConfig,
  command: Command | undefined,
  secret: Secrets['of'],
): Variables {
  if (command === undefined) return harmlessEnvironment(world)
  return environmentOf(command, toolEnvironment(world, config), secretsFor(command, secret))
}

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
