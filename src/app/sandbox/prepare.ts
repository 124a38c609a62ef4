import type {
  Confinement,
  JsonObject,
  SandboxLimits,
  SandboxPath,
  SandboxProfile,
  SandboxSettings,
} from '../../model/index.ts'
import { realPath, type SandboxedStarter } from '../../platform/index.ts'
import type { Subject } from '../../runtime/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { World } from '../world.ts'
import { deniedWords } from './denied-words.ts'
import type { Means } from './means.ts'
import { placeOf } from './place.ts'
import { resolveWords } from './resolve.ts'
import { stateFolder } from './state-folder.ts'

/** What a package may use when it runs. */
export interface Accepted {
  /** Permission words; null for a package that names none: it has its project. */
  readonly permissions: readonly string[] | null
  /** What someone agreed to do without on this host, in the words of `Enforcement.unenforced`; or whatever it is. */
  readonly unenforced: readonly string[] | 'all'
  /** Whose package it is. */
  readonly source?: string
}

export interface Wanted {
  readonly subject: Subject
  readonly accepted: Accepted
  readonly limits: SandboxLimits
  /** It runs for its own sake: its project is its own folder, which it may change unless it is an installed copy. */
  readonly isTried: boolean
  /** Where it keeps what it keeps, when that is not for good. */
  readonly state?: string
}

interface Circumstances {
  readonly world: World
  readonly loaded: LoadedConfig
  readonly means: Means
}

export interface Denied {
  /** Why there must be no start. Follows the name. */
  readonly denied: string
}

/** All that a start needs to know. */
export interface Prepared extends Partial<Denied> {
  readonly starter: SandboxedStarter
  readonly profile: SandboxProfile
  /** What may stay open. */
  readonly accepted: readonly string[]
  readonly held: Confinement
  /** The same for one call, which may name files in its arguments. */
  forCall(input: JsonObject): Promise<Prepared | Denied>
}

export async function prepare(
  { subject, accepted, limits, isTried, state }: Wanted,
  { world, loaded, means }: Circumstances,
): Promise<Prepared | Denied> {
  const { origin } = subject
  const settings = loaded.config.sandbox
  const isAlone = isTried && origin.kind === 'package'
  const place = placeOf(subject, world, loaded, {
    ...(isAlone && { workspace: origin.folder }),
    state: state ?? stateFolder(realPath(loaded.home), subject, accepted.source),
  })
  const resolved = await resolveWords(accepted.permissions, place, limits, means)
  if ('problem' in resolved) return { denied: `was not started: its permission ${resolved.problem}` }
  const isCopy = isAlone && origin.package.receipt === undefined
  const { withArgumentFiles, toAccept, SandboxRefusal } = await means.kit()
  const starter = await means.starterFor(settings)

  async function judge(profile: SandboxProfile): Promise<Prepared> {
    const enforcement = await starter.explain(profile)
    const mayStay = mayStayOpen(accepted, settings.mode, enforcement.unenforced)
    const open = toAccept(enforcement.unenforced).filter((what) => !mayStay.includes(what))
    const prepared: Prepared = {
      starter,
      profile,
      accepted: mayStay,
      held: { permissions: accepted.permissions, ...enforcement },
      ...(open.length > 0 && { denied: deniedWords(subject, open, enforcement.backend, settings.mode) }),
      forCall: async (input) => (profile.argumentFiles.length === 0 ? prepared : withFiles(profile, input)),
    }
    return prepared
  }

  async function withFiles(profile: SandboxProfile, input: JsonObject): Promise<Prepared | Denied> {
    try {
      return await judge(withArgumentFiles(profile, input))
    } catch (error) {
      if (!(error instanceof SandboxRefusal)) throw error
      return { denied: `was not started: ${error.message}` }
    }
  }

  const isOwn = !isTried && (origin.kind === 'loose' || origin.package.receipt === undefined)
  const profile = isOwn ? runByAnything(resolved) : resolved
  return judge(isCopy ? openPackage(profile) : profile)
}

/** The operator's own may name an interpreter anywhere: that of a virtual environment, for instance. */
function runByAnything(profile: SandboxProfile): SandboxProfile {
  const { programFolders: _, ...rest } = profile
  return rest
}

/** All of it: what is protected in a project means nothing in a package. */
function openPackage(profile: SandboxProfile): SandboxProfile {
  const { package: own, paths } = profile
  const isOutside = ({ path }: SandboxPath) => path !== own && !path.startsWith(`${own}/`)
  return { ...profile, packageIsWritable: true, paths: paths.filter(isOutside) }
}

function mayStayOpen(
  { unenforced }: Accepted,
  mode: SandboxSettings['mode'],
  all: readonly string[],
): readonly string[] {
  if (mode === 'require') return []
  return mode === 'off' || unenforced === 'all' ? all : unenforced
}
