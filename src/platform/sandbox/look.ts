import { closeSync, fstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxPath, SandboxProfile } from '../../model/index.ts'
import { makePath } from '../make-path.ts'
import { pinBelow, placeBelow } from './pin.ts'
import { SandboxRefusal } from './refusal.ts'
import { isWithin } from './within.ts'

/** A path of a profile as it lies on the disk. */
export interface SeenPath {
  /** Without links. */
  readonly path: string
  readonly access: SandboxPath['access']
  readonly kind: 'file' | 'folder'
  /** Another name for it that the profile used. */
  readonly alias?: string
  /** Held open, so that it stays the same file whatever happens to its path. */
  readonly descriptor?: number
  /** What is seen there instead of what lies there. */
  readonly source?: string
  /** Nobody misses it. */
  readonly mayBeGone?: boolean
}

export interface SeenPaths {
  readonly paths: readonly SeenPath[]
  /** Lets go of what is held. Once is enough, more does no harm. */
  close(): void
}

/**
 * Looks up everything a program is to see. What is not there is left out. Throws a `SandboxRefusal`. `holds`: this
 * system can hold what was found; elsewhere it is known by its path.
 */
export function lookAtPaths(
  profile: SandboxProfile,
  prefixes: readonly string[],
  holds = process.platform === 'linux',
): SeenPaths {
  makePath(profile.state, 0o700)
  const wanted: readonly SandboxPath[] = [
    ...profile.paths.filter(({ path }) => !OF_THE_KERNEL.some((folder) => isWithin(path, folder))),
    ...prefixes.map((path) => ({ path, access: 'read' as const })),
    ...secretsIn(prefixes, profile),
    { path: profile.package, access: profile.packageIsWritable ? 'write' : 'read' },
    { path: profile.state, access: 'write' },
  ]
  const descriptors: number[] = []
  const close = () => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
  }
  const hold = (descriptor: number) => descriptors.push(descriptor)
  try {
    const seen = new Map<string, SeenPath>()
    for (const entry of wanted) {
      const found = entry.pinned ? lookPinned(entry, profile, holds && hold) : look(entry, holds)
      if (found === undefined) continue
      const before = seen.get(found.path)
      // A prefix of an interpreter must not open what is hidden, nor close what may be written.
      if (before !== undefined && prefixes.includes(entry.path)) continue
      seen.set(found.path, found)
    }
    return { paths: [...seen.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), close }
  } catch (error) {
    close()
    throw error
  }
}

/** Tools of languages keep credentials beside their programs. */
function secretsIn(prefixes: readonly string[], profile: SandboxProfile): readonly SandboxPath[] {
  return profile.protected.secrets
    .filter((secret) => prefixes.some((prefix) => isWithin(secret, prefix)))
    .filter((secret) => !profile.paths.some(({ path }) => isWithin(path, secret)))
    .map((path) => ({ path, access: 'hidden' }))
}

/** Every sandbox has its own of these, or none. */
const OF_THE_KERNEL = ['/proc', '/dev']

function lookPinned(
  entry: SandboxPath,
  profile: SandboxProfile,
  hold: ((descriptor: number) => void) | false,
): SeenPath | undefined {
  const found = hold === false ? lookBelow(entry) : holdBelow(entry, profile, hold)
  if (entry.isFile && found?.kind === 'folder') {
    throw new SandboxRefusal(
      `${entry.path} is a folder, and the permission is for the file that an argument names`,
    )
  }
  return found
}

function holdBelow(
  { path, access, create }: SandboxPath,
  { workspace, state }: SandboxProfile,
  hold: (descriptor: number) => void,
): SeenPath | undefined {
  const descriptor = pinBelow(isWithin(path, state) ? state : workspace, path, create)
  if (descriptor === undefined) return undefined
  hold(descriptor)
  return { path, access, kind: kindOf(fstatSync(descriptor)), descriptor }
}

function lookBelow({ path, access, create }: SandboxPath): SeenPath | undefined {
  const place = placeBelow(path, create)
  return place === undefined ? undefined : { path: place, access, kind: kindOf(statSync(place)) }
}

function kindOf(stats: Stats): SeenPath['kind'] {
  return stats.isDirectory() ? 'folder' : 'file'
}

function look({ path, access }: SandboxPath, holds: boolean): SeenPath | undefined {
  try {
    // Where names differ only by capitals and are the same, only the system knows how one is spelled.
    const real = holds ? realpathSync(path) : realpathSync.native(path)
    return { path: real, access, kind: kindOf(statSync(real)), ...(real !== path && { alias: path }) }
  } catch {
    // Not there, or not for us: then it is not for the program either.
    return undefined
  }
}

/**
 * Where the program begins: where it was asked to, as far as it sees that folder or was granted something in it. From
 * there it finds what it was granted by the names it was told.
 */
export function workingFolder(cwd: string, paths: readonly SeenPath[], profile: SandboxProfile): string {
  let found: SeenPath | undefined
  for (const seen of paths) if (isWithin(cwd, seen.path)) found = seen
  if (found !== undefined && found.access !== 'hidden') return cwd
  const isOnTheWay = paths.some(
    (seen) => seen.access !== 'hidden' && isWithin(seen.path, cwd) && isGranted(seen),
  )
  return isOnTheWay ? cwd : profile.state

  function isGranted({ path, alias }: SeenPath): boolean {
    return profile.paths.some((granted) => granted.path === path || granted.path === alias)
  }
}

/** A program that is told of a home gets its own, and a place for what it needs for a moment. */
export function ownEnvironment(
  env: Readonly<Record<string, string>>,
  { state }: SandboxProfile,
  temporary: string,
): Readonly<Record<string, string>> {
  return { ...env, ...(env.HOME !== undefined && { HOME: state }), TMPDIR: temporary }
}

export function temporaryFolder({ state }: SandboxProfile): string {
  const folder = join(state, 'tmp')
  makePath(folder, 0o700)
  return folder
}
