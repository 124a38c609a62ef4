import { parsePermission } from '../../formats/index.ts'
import type {
  ManifestLimits,
  Permission,
  SandboxLimits,
  SandboxProfile,
  ToolLimits,
} from '../../model/index.ts'
import type { SandboxPlace } from '../../platform/index.ts'
import type { Means } from './means.ts'

/** The profile that permission words mean in a place, or the word that means nothing. */
export async function resolveWords(
  words: readonly string[] | null,
  place: SandboxPlace,
  limits: SandboxLimits,
  means: Pick<Means, 'kit'>,
): Promise<SandboxProfile | { readonly problem: string }> {
  const permissions: Permission[] = []
  for (const word of words ?? []) {
    const parsed = parsePermission(word)
    if (parsed === undefined) continue
    if ('problem' in parsed) return { problem: `${JSON.stringify(word)} ${parsed.problem.message}` }
    permissions.push(parsed)
  }
  const { resolveProfile } = await means.kit()
  return resolveProfile(words === null ? null : permissions, place, limits)
}

/** The smaller of what a package says and what everyone is bound by. */
export function limitsOf(own: ManifestLimits, most: ToolLimits, stays = false): SandboxLimits {
  const [cpuMs, memoryBytes, processes, fileBytes] = (
    ['cpuMs', 'memoryBytes', 'processes', 'fileBytes'] as const
  ).map((name) => smaller(own[name], most[name]))
  return {
    // Of a process that stays the time of all its calls would be counted.
    ...(cpuMs !== undefined && !stays && { cpuMs }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(processes !== undefined && { processes }),
    ...(fileBytes !== undefined && { fileBytes }),
  }
}

function smaller(own: number | undefined, most: number | null): number | undefined {
  if (own === undefined || most === null) return own ?? most ?? undefined
  return Math.min(own, most)
}
