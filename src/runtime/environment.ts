import type { Command } from '../model/index.ts'

type Environment = Readonly<Record<string, string>>

/** A package gets only the variables it is entitled to; what its manifest sets comes on top. */
export function environmentOf({ passEnv, env }: Command, inherited: Environment): Environment {
  if (passEnv === undefined) return { ...inherited, ...env }
  const passed = Object.entries(inherited).filter(([name]) => passEnv.includes(name))
  return { ...Object.fromEntries(passed), ...env }
}
