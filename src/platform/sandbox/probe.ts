import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxProfile } from '../../model/index.ts'
import type { LauncherStarter } from '../process/launcher/starter.ts'
import type { ProcessRequest, ProcessStarter } from '../process/starter.ts'
import { type BwrapOptions, wrapWithBwrap } from './bwrap.ts'
import type { SandboxTier } from './enforceable.ts'
import { findBwrap } from './find-bwrap.ts'
import { confineWithLandlock, OLDEST_LANDLOCK } from './landlock.ts'
import { lookAtPaths } from './look.ts'
import { createFilter } from './seccomp/filter.ts'
import { writeSyntheticFiles } from './synthetic-files.ts'

/** What this host can hold programs back with, best first; the last one is always `none`. */
export interface SandboxHost {
  readonly tiers: readonly SandboxTier[]
  readonly bwrap?: Pick<BwrapOptions, 'pins' | 'graceful'> & { readonly path: string }
}

export interface ProbeOptions {
  readonly starter: ProcessStarter
  readonly launcher?: LauncherStarter
  /** Only Orla's: what was found is kept here. */
  readonly folder: string
}

/**
 * Starts a program in each tier with all that a real one gets, and believes only what it sees: the program runs, and
 * does not see a file beside its own. What was found holds until the next boot, or until bwrap is another.
 */
export async function probeTiers({ starter, launcher, folder }: ProbeOptions): Promise<SandboxHost> {
  const bwrap = process.platform === 'linux' ? findBwrap() : undefined
  const uid = process.getuid?.() ?? -1
  const key = [bwrap?.path, bwrap?.mtimeMs, bootId(), uid, launcher !== undefined, process.execPath].join(' ')
  const kept = readKept(folder, key)
  if (kept !== undefined) return kept
  const landlock = launcher === undefined ? 0 : await probeLandlock(launcher, folder)
  const common = { root: uid === 0, launcher: launcher !== undefined, filter: hasFilter() }
  const abilities = bwrap === undefined ? undefined : await probeBwrap(starter, bwrap.path, folder)
  const host: SandboxHost = {
    tiers: [
      ...(abilities === undefined ? [] : [{ ...common, backend: 'bwrap' as const, landlock: 0 }]),
      ...(landlock === 0 ? [] : [{ ...common, backend: 'landlock' as const, landlock }]),
      { ...common, backend: 'none', landlock: 0 },
    ],
    ...(bwrap !== undefined && abilities !== undefined && { bwrap: { path: bwrap.path, ...abilities } }),
  }
  writeFileSync(join(folder, KEPT), JSON.stringify({ key, host }), { mode: 0o600 })
  return host
}

const KEPT = 'probe.json'

/** Undefined on machines whose numbers of system calls we do not know. */
function hasFilter(): boolean {
  return createFilter({ arch: process.arch, isolated: true, sockets: [] }) !== undefined
}

/** What can be done without when a host has older programs. */
const ABILITIES = [
  { pins: true, graceful: true },
  { pins: false, graceful: true },
  { pins: true, graceful: false },
  { pins: false, graceful: false },
] as const

/** Undefined when it does not work at all. */
async function probeBwrap(
  starter: ProcessStarter,
  bwrap: string,
  folder: string,
): Promise<(typeof ABILITIES)[number] | undefined> {
  const { profile, request } = trial(folder)
  const files = writeSyntheticFiles(join(folder, 'etc'))
  for (const abilities of ABILITIES) {
    const seen = lookAtPaths(profile, [])
    try {
      const wrapped = wrapWithBwrap(request, profile, seen.paths, { bwrap, files, ...abilities })
      if ((await starter.run({ ...request, ...wrapped })).exitCode === 0) return abilities
    } finally {
      seen.close()
    }
  }
  return undefined
}

/** The newest version that does what it should; 0 when none does. */
async function probeLandlock(launcher: LauncherStarter, folder: string): Promise<number> {
  const { profile, request } = trial(folder)
  // Beyond 6 nothing is used that 6 does not have.
  for (let version = 6; version >= OLDEST_LANDLOCK; version--) {
    const seen = lookAtPaths(profile, [])
    try {
      const confinement = confineWithLandlock(profile, seen.paths, version)
      const end = await launcher.run({ ...request, setup: { confinement } })
      if (end.exitCode === 0) return version
    } catch {
      return 0
    } finally {
      seen.close()
    }
  }
  return 0
}

/** A program that ends well when it sees its own file, and not the one beside it. */
function trial(folder: string): { profile: SandboxProfile; request: ProcessRequest } {
  const place = join(folder, 'probe')
  const own = join(place, 'package')
  const other = join(place, 'other')
  for (const path of [own, join(place, 'state'), join(place, 'granted')]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
  writeFileSync(join(own, 'file'), '')
  writeFileSync(other, '')
  const profile: SandboxProfile = {
    package: own,
    workspace: place,
    state: join(place, 'state'),
    home: place,
    paths: [{ path: join(place, 'granted'), access: 'write', pinned: true }],
    protected: { secrets: [], frozen: [] },
    argumentFiles: [],
    network: { kind: 'none' },
    sockets: [],
    programs: [],
    limits: {},
  }
  const text = 'cat "$1/file" && ! cat "$2" 2>/dev/null && : > "$3/granted/x"'
  const request: ProcessRequest = {
    file: '/bin/sh',
    args: ['-c', text, 'sh', own, other, place],
    cwd: own,
    env: { PATH: '/usr/bin:/bin' },
    stdin: '',
    timeoutMs: 10_000,
    graceMs: 100,
    outputBytes: 65_536,
    signal: new AbortController().signal,
  }
  return { profile, request }
}

function readKept(folder: string, key: string): SandboxHost | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(folder, KEPT), 'utf8'))
    // Orla wrote it, into a folder of its own; another key means another writer.
    const { key: keptKey, host } = kept as { key: string; host: SandboxHost }
    return keptKey === key ? host : undefined
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
