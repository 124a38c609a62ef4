import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxProfile } from '../../model/index.ts'
import { makePath } from '../make-path.ts'
import type { LauncherStarter } from '../process/launcher/starter.ts'
import type { ProcessEnd, ProcessRequest, ProcessStarter } from '../process/starter.ts'
import { type BwrapOptions, wrapWithBwrap } from './bwrap.ts'
import type { SandboxTier } from './enforceable.ts'
import { findBwrap } from './find-bwrap.ts'
import { type Counting, holdLimits } from './hold-limits.ts'
import { keep, readKept } from './kept-probe.ts'
import { confineWithLandlock, OLDEST_LANDLOCK } from './landlock.ts'
import { lookAtPaths } from './look.ts'
import { createFilter } from './seccomp/filter.ts'
import { writeSyntheticFiles } from './synthetic-files.ts'

/** What this host can hold programs back with, best first; the last one is always `none`. */
export interface SandboxHost {
  readonly tiers: readonly SandboxTier[]
  readonly bwrap?: Pick<BwrapOptions, 'pins' | 'graceful'> & { readonly path: string }
  readonly seatbelt?: { readonly path: string }
  /** Why the others are not among them, for people. */
  readonly missing?: { readonly [K in 'bwrap' | 'landlock' | 'seatbelt']?: string }
}

export interface ProbeOptions {
  readonly starter: ProcessStarter
  readonly launcher?: LauncherStarter
  /** Only Orla's: what was found is kept here. */
  readonly folder: string
  /** The system it is, unless told. */
  readonly platform?: NodeJS.Platform
  /** Of macOS: the system's, unless told. */
  readonly sandboxExec?: string
  /** Of macOS: how long a trial may take. */
  readonly timeoutMs?: number
}

/**
 * Starts a program in each tier with all that a real one gets, and believes only what it sees: the program runs, and
 * does not see a file beside its own. What was found holds until the next boot, or until bwrap is another.
 */
export async function probeTiers(options: ProbeOptions): Promise<SandboxHost> {
  const { starter, launcher, folder, platform = process.platform } = options
  if (platform === 'darwin') return (await import('./probe-mac.ts')).probeMac(options)
  const bwrap = platform === 'linux' ? findBwrap() : undefined
  const uid = process.getuid?.() ?? -1
  const key = [
    FORMAT,
    bwrap?.path,
    bwrap?.mtimeMs,
    bootId(),
    uid,
    launcher !== undefined,
    process.execPath,
  ].join(' ')
  const kept = readKept(folder, key)
  if (kept !== undefined) return kept
  const landlock = launcher === undefined ? 'it takes the launcher' : await probeLandlock(launcher, folder)
  const counting = uid === 0 ? await probeCounting(launcher, folder) : 'user'
  const common = { counting, launcher: launcher !== undefined, filter: hasFilter() }
  const abilities = bwrap === undefined ? NOT_THERE : await probeBwrap(starter, bwrap.path, folder)
  return keep(folder, key, {
    tiers: [
      ...(typeof abilities === 'string' ? [] : [{ ...common, backend: 'bwrap' as const, landlock: 0 }]),
      ...(typeof landlock === 'string' ? [] : [{ ...common, backend: 'landlock' as const, landlock }]),
      { ...common, backend: 'none', landlock: 0 },
    ],
    ...(bwrap !== undefined &&
      typeof abilities !== 'string' && { bwrap: { path: bwrap.path, ...abilities } }),
    missing: {
      ...(typeof abilities === 'string' && { bwrap: abilities }),
      ...(typeof landlock === 'string' && { landlock }),
    },
  })
}

/** Changes with what is kept. */
const FORMAT = 3
const NOT_THERE = 'bubblewrap is not installed'

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

/** Or why it does not work at all. */
async function probeBwrap(
  starter: ProcessStarter,
  bwrap: string,
  folder: string,
): Promise<(typeof ABILITIES)[number] | string> {
  const { profile, request } = trial(folder)
  const files = writeSyntheticFiles(join(folder, 'etc'))
  let why = 'it does not work here'
  for (const abilities of ABILITIES) {
    const seen = lookAtPaths(profile, [])
    try {
      const wrapped = wrapWithBwrap(request, profile, seen.paths, { bwrap, files, ...abilities })
      const end = await starter.run({ ...request, ...wrapped })
      if (end.exitCode === 0) return abilities
      why = whyNot(end)
    } finally {
      seen.close()
    }
  }
  return why
}

function whyNot({ stderr, error }: ProcessEnd): string {
  const said = stderr.toString('utf8').trim().split('\n').at(-1)
  return said || error?.message || 'a program in it did not do what it should'
}

/** The newest version that does what it should, or why none does. */
async function probeLandlock(launcher: LauncherStarter, folder: string): Promise<number | string> {
  const { profile, request } = trial(folder)
  let why = ''
  // Beyond 6 nothing is used that 6 does not have.
  for (let version = 6; version >= OLDEST_LANDLOCK; version--) {
    const seen = lookAtPaths(profile, [])
    try {
      const confinement = confineWithLandlock(profile, seen.paths, version)
      const end = await launcher.run({ ...request, setup: { confinement } })
      if (end.exitCode === 0) return version
      why = whyNot(end)
    } catch (error) {
      return (error as Error).message
    } finally {
      seen.close()
    }
  }
  return why
}

/** For root: a program must be able to start as many as its group holds, and not one more. */
async function probeCounting(launcher: LauncherStarter | undefined, folder: string): Promise<Counting> {
  if (launcher === undefined) return 'none'
  const { request } = trial(folder)
  const startsOneIn = async (processes: number) => {
    const held = holdLimits({ processes }, 'group')
    try {
      const setup = held.setup ?? {}
      return (await launcher.run({ ...request, args: ['-c', '(:) 2>/dev/null'], setup })).exitCode === 0
    } finally {
      await held.close()
    }
  }
  try {
    return (await startsOneIn(2)) && !(await startsOneIn(1)) ? 'group' : 'none'
  } catch {
    return 'none'
  }
}

/** A program that ends well when it sees its own file, and not the one beside it. */
function trial(folder: string): { profile: SandboxProfile; request: ProcessRequest } {
  const place = join(folder, 'probe')
  const own = join(place, 'package')
  const other = join(place, 'other')
  for (const path of [own, join(place, 'state'), join(place, 'granted')]) {
    makePath(path, 0o700)
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

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
