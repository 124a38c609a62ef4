import { parseRequirement, type Requirement, satisfies } from '../formats/index.ts'
import { type Manifest, OrlaError } from '../model/index.ts'
import type { Ports } from './ports.ts'

export type ToolRequirement = Extract<Requirement, { kind: 'tool' }>

/** What a manifest needs of other Orla packages. */
export function toolRequirements(manifest: Manifest): ToolRequirement[] {
  return requirementsOf(manifest).filter((requirement) => requirement.kind === 'tool')
}

/** Every program that is missing or too old, all at once. */
export function checkPrograms(manifest: Manifest, programVersion: Ports['programVersion']): void {
  const wrong = requirementsOf(manifest).flatMap((requirement) => {
    if (requirement.kind !== 'program') return []
    const version = programVersion(requirement.name, requirement.range !== undefined)
    if (version === undefined) return [`${requirement.written}: \`${requirement.name}\` is not installed`]
    if (requirement.range === undefined) return []
    if (version === null) return [`${requirement.written}: \`${requirement.name}\` does not tell its version`]
    return satisfies(requirement, version) ? [] : [`${requirement.written}: this machine has ${version}`]
  })
  if (wrong.length === 0) return
  throw new OrlaError(
    'E_DEPENDENCY',
    `${manifest.name} ${manifest.version} needs what is not here:\n${wrong.join('\n')}`,
    {
      hint: 'install it, then repeat the command',
    },
  )
}

function requirementsOf(manifest: Manifest): Requirement[] {
  return manifest.dependencies.flatMap((word) => {
    const parsed = parseRequirement(word)
    return 'problem' in parsed ? [] : [parsed] // the manifest was checked before
  })
}
