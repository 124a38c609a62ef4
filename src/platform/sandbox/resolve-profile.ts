import { join, sep } from 'node:path'
import type {
  Permission,
  PermissionPath,
  SandboxLimits,
  SandboxNetwork,
  SandboxPath,
  SandboxProfile,
} from '../../model/index.ts'
import {
  SECRET_IN_HOME,
  SECRET_ON_HOST,
  STARTED_FROM_HOME,
  STARTED_FROM_HOST,
  STARTED_FROM_WORKSPACE,
} from './protected-files.ts'
import { covering, isWithin } from './within.ts'

/** Where a program will run. Absolute paths without links. */
export interface SandboxPlace {
  readonly package: string
  readonly workspace: string
  readonly state: string
  readonly home: string
  readonly toolsFolder: string
  /** Where Orla keeps its own files. */
  readonly orlaHome: string
  /** Folders of the PATH: who can write there runs later as the person. */
  readonly programFolders: readonly string[]
}

/** What a package without the key may do. */
const WORKSPACE_PROFILE: readonly Permission[] = [
  { kind: 'filesystem', access: 'write', path: { base: 'workspace', below: '' } },
]

/** From permission words to what a program may do here. Pure: nothing is looked up. */
export function resolveProfile(
  permissions: readonly Permission[] | null,
  place: SandboxPlace,
  limits: SandboxLimits = {},
): SandboxProfile {
  const granted = permissions ?? WORKSPACE_PROFILE
  const files = granted.filter((permission) => permission.kind === 'filesystem')
  return {
    package: place.package,
    workspace: place.workspace,
    state: place.state,
    home: place.home,
    paths: resolvePaths(
      files.flatMap(({ access, path }) => grantedPath(path, access, place)),
      place,
    ),
    protected: { secrets: hiddenPaths(place), frozen: frozenPaths(place) },
    argumentFiles: files.flatMap(({ access, path }) =>
      path?.base === 'argument' ? [{ name: path.name, access }] : [],
    ),
    network: resolveNetwork(granted),
    sockets: granted.flatMap((permission) =>
      permission.kind === 'socket' && permission.path.base !== 'argument'
        ? [absolute(permission.path, place)]
        : [],
    ),
    programs: granted.flatMap((permission) => (permission.kind === 'exec' ? [permission.name] : [])),
    programFolders: place.programFolders,
    limits,
  }
}

interface Grant extends SandboxPath {
  readonly access: 'read' | 'write'
  /** Names something itself, instead of a whole project, home or disk. */
  readonly named: boolean
}

function grantedPath(
  path: PermissionPath | null,
  access: 'read' | 'write',
  place: SandboxPlace,
): readonly Grant[] {
  if (path === null) return [{ path: sep, access, named: false }]
  if (path.base === 'argument') return []
  const named = path.below !== ''
  const full = absolute(path, place)
  const pinned = [place.workspace, place.state].some((folder) => full !== folder && isWithin(full, folder))
  return [{ path: full, access, named, ...(pinned && { pinned }) }]
}

function absolute(path: Exclude<PermissionPath, { base: 'argument' }>, place: SandboxPlace): string {
  const base = { workspace: place.workspace, home: place.home, root: sep, state: place.state }[path.base]
  return path.below === '' ? base : join(base, path.below)
}

/** Outer before inner. */
function resolvePaths(granted: readonly Grant[], place: SandboxPlace): readonly SandboxPath[] {
  const merged = new Map<string, SandboxPath>()
  for (const { named: _, ...entry } of granted) {
    if (merged.get(entry.path)?.access !== 'write') merged.set(entry.path, entry)
  }
  for (const part of protectedParts(granted, place)) merged.set(part.path, part)
  const paths = [...merged.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  // Words add up: a word to read takes nothing from one to write.
  return paths.filter((entry) => {
    if (entry.access !== 'read' || !granted.some(({ path }) => path === entry.path)) return true
    const outer = covering(
      paths.filter((other) => other !== entry),
      entry.path,
    )
    return outer?.access !== 'write' || isProtected(entry.path, place)
  })
}

/** The parts of what was granted that nobody meant. Who names such a part itself means it. */
function protectedParts(granted: readonly Grant[], place: SandboxPlace): readonly SandboxPath[] {
  const named = granted.filter((grant) => grant.named)
  const frozen = frozenPaths(place).filter(
    (part) =>
      covering(granted, part)?.access === 'write' &&
      !named.some(({ path, access }) => path === part && access === 'write'),
  )
  const hidden = hiddenPaths(place).filter(
    (part) => covering(granted, part) !== undefined && !named.some(({ path }) => path === part),
  )
  return [
    ...frozen.map((path): SandboxPath => ({ path, access: 'read' })),
    ...hidden.map((path): SandboxPath => ({ path, access: 'hidden' })),
  ]
}

function isProtected(path: string, place: SandboxPlace): boolean {
  return frozenPaths(place).includes(path)
}

function hiddenPaths(place: SandboxPlace): readonly string[] {
  return [...SECRET_IN_HOME.map((name) => join(place.home, name)), ...SECRET_ON_HOST, place.orlaHome]
}

function frozenPaths(place: SandboxPlace): readonly string[] {
  return [
    ...STARTED_FROM_WORKSPACE.map((name) => join(place.workspace, name)),
    ...STARTED_FROM_HOME.map((name) => join(place.home, name)),
    ...STARTED_FROM_HOST,
    ...place.programFolders,
    place.toolsFolder,
  ]
}

function resolveNetwork(granted: readonly Permission[]): SandboxNetwork {
  const wanted = granted.filter((permission) => permission.kind === 'network')
  if (wanted.length === 0) return { kind: 'none' }
  if (wanted.some(({ host }) => host === null)) return { kind: 'any' }
  return {
    kind: 'hosts',
    hosts: wanted.flatMap(({ host, port }) => (host === null ? [] : [{ host, port: port ?? 443 }])),
  }
}
