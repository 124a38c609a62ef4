import type { Permission, PermissionPath } from '../model/index.ts'
import { parsePermission } from './permission.ts'

/** What a package without the key may do: read and write below the project. */
const WORKSPACE_PROFILE = ['filesystem:write:./']

/** The words of a manifest; where it does not have the key, those of the workspace profile. */
export function effectivePermissions(permissions: readonly string[] | null): readonly string[] {
  return permissions ?? WORKSPACE_PROFILE
}

/**
 * The words of `after` that allow something `before` did not. Null is a manifest without the key. When in
 * doubt a word counts as added: asking once more is the smaller mistake.
 */
export function addedPermissions(
  before: readonly string[] | null,
  after: readonly string[] | null,
): readonly string[] {
  const had = before ?? WORKSPACE_PROFILE
  const granted = had.map(parsePermission).filter(isPermission)
  return (after ?? WORKSPACE_PROFILE).filter((word) => {
    if (had.includes(word)) return false
    const wanted = parsePermission(word)
    if (wanted === undefined) return false
    return !isPermission(wanted) || !granted.some((permission) => covers(permission, wanted))
  })
}

function isPermission(parsed: ReturnType<typeof parsePermission>): parsed is Permission {
  return parsed !== undefined && 'kind' in parsed
}

function covers(granted: Permission, wanted: Permission): boolean {
  if (granted.kind === 'filesystem' && wanted.kind === 'filesystem') {
    const isEnough = granted.access === 'write' || wanted.access === 'read'
    return isEnough && coversFiles(granted.path, wanted.path, wanted.access)
  }
  if (granted.kind === 'network' && wanted.kind === 'network') return coversHost(granted, wanted)
  if (granted.kind === 'socket' && wanted.kind === 'socket') return isSamePath(granted.path, wanted.path)
  return granted.kind === wanted.kind && 'name' in granted && 'name' in wanted && granted.name === wanted.name
}

function coversFiles(
  granted: PermissionPath | null,
  wanted: PermissionPath | null,
  access: 'read' | 'write',
): boolean {
  if (wanted === null) return granted === null
  const isWholeProject = granted?.base === 'workspace' && granted.below === ''
  if (wanted.base === 'argument') {
    return granted === null || isWholeProject || isSamePath(granted, wanted)
  }
  if (granted === null) {
    return (wanted.base === 'workspace' || wanted.base === 'state') && isOrdinary(wanted.below)
  }
  if (granted.base !== wanted.base) return false
  if (isWholeProject && access === 'write') return isOrdinary(wanted.below)
  return granted.below === '' || `${wanted.below}/`.startsWith(`${granted.below}/`)
}

/** Wide grants leave out what a path could name on purpose: hooks of git, tools, Orla's own files. */
function isOrdinary(below: string): boolean {
  return !/(?:^|\/)\.|^(?:tools|orla\.yaml|orla\.lock)(?:\/|$)/.test(below)
}

function isSamePath(a: PermissionPath, b: PermissionPath): boolean {
  if (a.base === 'argument' || b.base === 'argument') {
    return a.base === 'argument' && b.base === 'argument' && a.name === b.name
  }
  return a.base === b.base && a.below === b.below
}

function coversHost(
  granted: Extract<Permission, { kind: 'network' }>,
  wanted: Extract<Permission, { kind: 'network' }>,
): boolean {
  if (granted.host === null) return true
  if (wanted.host === null || granted.port !== wanted.port) return false
  if (granted.host === wanted.host) return true
  return granted.host.startsWith('*.') && wanted.host.endsWith(granted.host.slice(1))
}
