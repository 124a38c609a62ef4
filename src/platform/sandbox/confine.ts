import type { SandboxProfile } from '../../model/index.ts'
import type { Confinement, ProcessSetup } from '../process/launcher/setup.ts'
import { type Program, wrapWithBwrap } from './bwrap.ts'
import { type Draft, openDraft, type Unsettled } from './draft.ts'
import type { SandboxTier } from './enforceable.ts'
import { guardParts, type MakeDraft } from './guard-parts.ts'
import { type HeldLimits, holdLimits } from './hold-limits.ts'
import type { HostWay } from './host-way.ts'
import { programPrefixes } from './interpreter.ts'
import { confineWithLandlock } from './landlock.ts'
import {
  lookAtPaths,
  ownEnvironment,
  type SeenPath,
  type SeenPaths,
  temporaryFolder,
  workingFolder,
} from './look.ts'
import type { SandboxHost } from './probe.ts'
import type { SyntheticFiles } from './synthetic-files.ts'

export interface Confined {
  readonly program: Program
  /** For the launcher. Undefined when nothing is left for it to do. */
  readonly setup: ProcessSetup | undefined
  /** Lets go of what was held for it, when it has ended. */
  close(): Promise<Unsettled | undefined>
}

export interface ConfineOptions {
  readonly tier: SandboxTier
  readonly host: SandboxHost
  readonly files: SyntheticFiles
  readonly way: HostWay | undefined
  readonly terminal?: boolean | undefined
  /** Where a draft of the project can be made; undefined for what runs on and on. */
  readonly drafts?: string | undefined
}

/** What must be started so that this program is held to its profile. Throws a `SandboxRefusal`. */
export function confine(program: Program, profile: SandboxProfile, options: ConfineOptions): Confined {
  const { tier, way } = options
  const hold = () =>
    holdLimits(tier.launcher ? profile.limits : {}, tier.counting, {
      wrapped: tier.backend === 'bwrap',
      relayed: way !== undefined,
    })
  if (tier.backend === 'none') {
    const held = hold()
    return { program, setup: held.setup, close: () => held.close().then(() => undefined) }
  }
  const seen = lookAtPaths(profile, prefixesOf(program, profile, options))
  let limits: HeldLimits | undefined
  let draft: Draft | undefined
  const makeDraft: MakeDraft = (top, isProtected) => {
    const { drafts } = options
    draft = drafts === undefined ? undefined : openDraft({ top, own: drafts, isProtected })
    return draft
  }
  const close = async () => {
    seen.close()
    await limits?.close()
    return draft?.settle()
  }
  try {
    limits = hold()
    const { confinement, ...changed } =
      tier.backend === 'bwrap'
        ? withNamespaces(program, profile, guardParts(profile, seen.paths, makeDraft), options)
        : withLandlock(program, profile, seen, tier.landlock)
    const setup = confinement === undefined ? limits.setup : { ...limits.setup, confinement }
    return { program: changed, setup, close }
  } catch (error) {
    void close()
    throw error
  }
}

/** The relay runs on the same Node as Orla. */
function prefixesOf(program: Program, profile: SandboxProfile, { way }: ConfineOptions): readonly string[] {
  const prefixes = programPrefixes(program, profile)
  if (way === undefined) return prefixes
  const { programFolders: _, ...own } = profile
  return [...prefixes, ...programPrefixes({ ...program, file: process.execPath }, own)]
}

interface Held extends Program {
  readonly confinement?: Confinement
}

function withNamespaces(
  program: Program,
  profile: SandboxProfile,
  paths: readonly SeenPath[],
  { host, files, way, terminal }: ConfineOptions,
): Held {
  if (host.bwrap === undefined) throw new Error('a tier that was not found')
  const { path: bwrap, pins, graceful } = host.bwrap
  return wrapWithBwrap(program, profile, paths, { bwrap, pins, graceful, files, way, terminal })
}

function withLandlock(
  { file, args, cwd, env }: Program,
  profile: SandboxProfile,
  { paths }: SeenPaths,
  version: number,
): Held {
  return {
    file,
    args,
    cwd: workingFolder(cwd, paths, profile),
    env: ownEnvironment(env, profile, temporaryFolder(profile)),
    confinement: confineWithLandlock(profile, paths, version),
  }
}
