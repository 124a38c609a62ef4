import type { SandboxLimits, SandboxProfile } from '../../model/index.ts'
import type { Confinement, ProcessLimits, ProcessSetup } from '../process/launcher/setup.ts'
import { type Program, wrapWithBwrap } from './bwrap.ts'
import { countTasks } from './count-tasks.ts'
import { type Draft, openDraft, type Unsettled } from './draft.ts'
import type { SandboxTier } from './enforceable.ts'
import { guardParts, type MakeDraft } from './guard-parts.ts'
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
  const { tier } = options
  const limits = tier.launcher ? limitsOf(profile.limits) : undefined
  if (tier.backend === 'none') return { program, setup: limits && { limits }, close: async () => undefined }
  const seen = lookAtPaths(profile, prefixesOf(program, profile, options))
  let draft: Draft | undefined
  const makeDraft: MakeDraft = (top, isProtected) => {
    const { drafts } = options
    draft = drafts === undefined ? undefined : openDraft({ top, own: drafts, isProtected })
    return draft
  }
  const close = async () => {
    seen.close()
    return draft?.settle()
  }
  try {
    const { confinement, ...changed } =
      tier.backend === 'bwrap'
        ? withNamespaces(program, profile, guardParts(profile, seen.paths, makeDraft), options)
        : withLandlock(program, profile, seen, tier.landlock)
    const setup = { ...(limits && { limits }), ...(confinement && { confinement }) }
    return {
      program: changed,
      setup: Object.keys(setup).length > 0 ? setup : undefined,
      close,
    }
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

function limitsOf(limits: SandboxLimits): ProcessLimits | undefined {
  const given = processLimits(limits)
  return Object.keys(given).length > 0 ? given : undefined
}

/** As the launcher sets them. */
export function processLimits({ cpuMs, memoryBytes, processes, fileBytes }: SandboxLimits): ProcessLimits {
  return {
    ...(cpuMs !== undefined && { cpuSeconds: Math.ceil(cpuMs / 1000) }),
    ...(memoryBytes !== undefined && { dataBytes: memoryBytes }),
    // The system counts all that the user runs.
    ...(processes !== undefined && { processes: countTasks() + processes }),
    ...(fileBytes !== undefined && { fileBytes }),
  }
}
