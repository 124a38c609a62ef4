import type { Capsule, JsonObject } from '../../model/index.ts'

export const HELLO = 'orla.hello'

/** What is wrong with the hello of this capsule, if anything. */
export function helloProblem({ name, version }: Capsule, params: JsonObject): string | undefined {
  const { name: saidName, version: saidVersion } = params
  if (typeof saidName !== 'string' || typeof saidVersion !== 'string') {
    return `said hello without its name and version; \`${HELLO}\` needs both in its params`
  }
  if (saidName === name && saidVersion === version) return undefined
  return `said hello as \`${saidName}\` ${saidVersion}, but its manifest says \`${name}\` ${version}`
}
