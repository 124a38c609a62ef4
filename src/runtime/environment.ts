import type { FindSecret } from '../formats/index.ts'
import type { Command } from '../model/index.ts'

type Environment = Readonly<Record<string, string>>

/** A package gets only the variables it is entitled to; what its manifest sets comes on top. */
export function environmentOf(
  { passEnv, env }: Command,
  inherited: Environment,
  secrets: Environment = {},
): Environment {
  if (passEnv === undefined) return { ...inherited, ...secrets, ...env }
  const passed = Object.entries(inherited).filter(([name]) => passEnv.includes(name))
  return { ...Object.fromEntries(passed), ...secrets, ...env }
}

/** The secrets it is entitled to, as far as someone set them. */
export function secretsFor({ secrets = [] }: Command, find: FindSecret): Environment {
  return Object.fromEntries(
    secrets.flatMap((name) => {
      const value = find(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}
