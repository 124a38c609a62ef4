import { findProgram, versionOf } from '../../platform/index.ts'
import { harmlessEnvironment, type World } from '../world.ts'

/** Names under which a program may also be installed. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  python: ['python3', 'python'],
  python3: ['python3', 'python'],
  node: ['node', 'nodejs'],
}

/**
 * What a program says about its version; null when it says nothing, undefined when it is not there. It is run
 * only when someone wants to know: the word in a manifest that names it is a stranger's.
 */
export function programVersion(world: World, name: string, asked = true): string | null | undefined {
  for (const candidate of ALSO[name] ?? [name]) {
    const file = findProgram(candidate, world.env.PATH ?? '', world.cwd)
    if (file !== undefined) return asked ? (versionOf(file, harmlessEnvironment(world)) ?? null) : null
  }
  return undefined
}
