import type { Enforcement, SandboxProfile } from '../../model/index.ts'
import { enforceable, isGivenInPieces, type SandboxTier } from './enforceable.ts'

export interface Choice {
  readonly tier: SandboxTier
  readonly enforcement: Enforcement
}

/**
 * The tier that leaves least open. The light one is taken instead where it leaves no more open than that, apart from
 * what `spared` says may be left for speed, and where it takes away no more either: a project it gives in pieces.
 */
export function chooseTier(
  profile: SandboxProfile,
  tiers: readonly SandboxTier[],
  spared: readonly string[] = [],
): Choice {
  const choices = tiers.map((tier): Choice => {
    return { tier, enforcement: { backend: tier.backend, ...enforceable(profile, tier) } }
  })
  const [first, ...rest] = choices
  if (first === undefined) throw new Error('there is always the tier that enforces nothing')
  const strongest = rest.reduce((best, next) => (open(next).length < open(best).length ? next : best), first)
  const light = choices.find(
    (choice) =>
      choice.tier.backend === 'landlock' &&
      !profile.paths.some((path) => path.access === 'write' && isGivenInPieces(path, profile.paths)) &&
      open(choice).every((what) => spared.includes(what) || open(strongest).includes(what)),
  )
  return light ?? strongest
}

function open({ enforcement }: Choice): readonly string[] {
  return enforcement.unenforced
}
