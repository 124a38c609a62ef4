import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxPath, SandboxProfile } from '../../model/index.ts'
import type { Confinement, PathRule } from '../process/launcher/setup.ts'
import { isGivenInPieces, SCOPED_SINCE } from './enforceable.ts'
import type { SeenPath } from './look.ts'
import { pinnedPath } from './pin.ts'
import { SandboxRefusal } from './refusal.ts'
import { createFilter } from './seccomp/filter.ts'
import { NAMES, NETWORK_SETTINGS, SYSTEM_FOLDERS, SYSTEM_SETTINGS } from './system-files.ts'
import { isWithin } from './within.ts'

/** Before this version a file could be cut to nothing without a right to write. */
export const OLDEST_LANDLOCK = 3

/** What the launcher must do to a program of this profile. Throws a `SandboxRefusal`. */
export function confineWithLandlock(
  profile: SandboxProfile,
  seen: readonly SeenPath[],
  version: number,
): Confinement {
  const hasNetwork = profile.network.kind !== 'none'
  const filter = createFilter({
    arch: process.arch,
    isolated: false,
    sockets: [
      ...(hasNetwork ? (['inet', 'inet6', 'netlink'] as const) : []),
      ...(profile.sockets.length > 0 ? (['unix'] as const) : []),
    ],
  })
  if (filter === undefined) throw new SandboxRefusal(`there is no filter for ${process.arch}`)
  const rules = [...systemRules(hasNetwork), ...seen.flatMap((entry) => rulesFor(entry, seen, profile.paths))]
  if (rules.length > MOST_RULES) {
    throw new SandboxRefusal('what it may see has too many parts; name the folders it needs')
  }
  return {
    filesystem: { handled: handledRights(version), rules },
    ...(!hasNetwork && version >= NETWORK_SINCE && { network: TCP }),
    ...(version >= SCOPED_SINCE && { scoped: SIGNALS_AND_ABSTRACT_SOCKETS }),
    filter,
  }
}

const NETWORK_SINCE = 4
const DEVICES_SINCE = 5
/** Connecting and listening. */
const TCP = 3n
const SIGNALS_AND_ABSTRACT_SOCKETS = 3n
/** The launcher takes no more. */
const MOST_RULES = 1024

/** The numbers of the kernel. */
const EXECUTE = 1n << 0n
const WRITE_FILE = 1n << 1n
const READ_FILE = 1n << 2n
const READ_FOLDER = 1n << 3n
const MAKE_CHARACTER_DEVICE = 1n << 6n
const MAKE_BLOCK_DEVICE = 1n << 11n
const TRUNCATE = 1n << 14n
const USE_DEVICE = 1n << 15n

const READ = EXECUTE | READ_FILE | READ_FOLDER
/** Everything but making and steering devices. */
const WRITE = ((1n << 15n) - 1n) & ~(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE)

function handledRights(version: number): bigint {
  return version >= DEVICES_SINCE ? (USE_DEVICE << 1n) - 1n : USE_DEVICE - 1n
}

/** Of /proc only what is its own, and counts: the rest shows the environments of other processes. */
const OWN_AND_COUNTS = [
  '/proc/self',
  '/proc/meminfo',
  '/proc/cpuinfo',
  '/proc/stat',
  '/proc/sys/vm/overcommit_memory',
]

function systemRules(hasNetwork: boolean): readonly PathRule[] {
  const readable = [
    ...SYSTEM_FOLDERS,
    ...SYSTEM_SETTINGS,
    ...NAMES,
    ...(hasNetwork ? NETWORK_SETTINGS : []),
    ...OWN_AND_COUNTS,
    '/dev/random',
    '/dev/urandom',
  ]
  const writable = ['/dev/null', '/dev/zero', '/dev/full']
  return [
    ...readable.map((path) => ({ path, rights: READ, optional: true })),
    ...writable.map((path) => ({ path, rights: READ_FILE | WRITE_FILE | TRUNCATE, optional: true })),
  ]
}

/** `parts` are the paths of the profile too: one that is not there yet must not be made either. */
function rulesFor(
  entry: SeenPath,
  seen: readonly SeenPath[],
  parts: readonly SandboxPath[],
): readonly PathRule[] {
  const { path, access, kind, descriptor } = entry
  if (access === 'hidden') return []
  const rights = access === 'write' ? WRITE : READ
  if (kind === 'folder' && isGivenInPieces({ path, access }, [...parts, ...seen])) {
    return piecesOf(path, rights, [...parts, ...seen])
  }
  return [{ path: descriptor === undefined ? path : pinnedPath(descriptor), rights }]
}

/**
 * A folder without the parts that have an entry of their own. Its own names can be listed, and so can theirs: a
 * right to list reaches down. Nothing new can be made beside such a part.
 */
function piecesOf(
  folder: string,
  rights: bigint,
  parts: readonly { readonly path: string }[],
): readonly PathRule[] {
  const rules: PathRule[] = [{ path: folder, rights: READ_FOLDER }]
  for (const child of childrenOf(folder)) {
    const path = join(folder, child.name)
    // A rule on a link would be one on whatever it leads to, which has a rule of its own or none.
    if (child.isSymbolicLink() || NEVER.includes(path) || parts.some((part) => part.path === path)) continue
    if (parts.some((part) => isWithin(part.path, path))) rules.push(...piecesOf(path, rights, parts))
    else rules.push({ path, rights, optional: true })
  }
  return rules
}

const NEVER = ['/proc', '/dev']

function childrenOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
