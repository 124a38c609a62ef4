import { resolve } from 'node:path'
import type { JsonObject, SandboxPath, SandboxProfile } from '../../model/index.ts'
import { SandboxRefusal } from './refusal.ts'
import { covering, isWithin } from './within.ts'

/**
 * The profile of one call: what it was, and the files that its arguments name. Who calls may be led by text of
 * others, so an argument reaches only into the project, or where the package may go anyway. Throws a
 * `SandboxRefusal`.
 */
export function withArgumentFiles(profile: SandboxProfile, input: JsonObject): SandboxProfile {
  const added = profile.argumentFiles.flatMap(({ name, access }) =>
    filesOf(input[name]).flatMap((file) => fileOf(file, { name, access, profile })),
  )
  if (added.length === 0) return profile
  const paths = new Map(profile.paths.map((entry) => [entry.path, entry]))
  for (const entry of added) {
    if (paths.get(entry.path)?.access !== 'write') paths.set(entry.path, entry)
  }
  return { ...profile, paths: [...paths.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

function filesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(filesOf)
  return typeof value === 'string' && value !== '' ? [value] : []
}

interface Argument {
  readonly name: string
  readonly access: 'read' | 'write'
  readonly profile: SandboxProfile
}

function fileOf(file: string, { name, access, profile }: Argument): readonly SandboxPath[] {
  const path = resolve(profile.workspace, file)
  const refuse = (why: string) =>
    new SandboxRefusal(`the argument ${name} names ${JSON.stringify(file)}, ${why}`)
  if (path.includes('\0')) throw refuse('which is no path')
  const granted = covering(profile.paths, path)?.access
  if (granted === 'write' || granted === access) return []
  if (!isWithin(path, profile.workspace) || path === profile.workspace) {
    throw refuse('which is outside the project; a copy in it can be used')
  }
  const { secrets, frozen } = profile.protected
  const isClosed = (parts: readonly string[]) =>
    parts.some((part) => isWithin(path, part) || isWithin(part, path))
  if (isClosed(secrets) || (access === 'write' && isClosed(frozen))) throw refuse('which is protected')
  return [{ path, access, pinned: true, isFile: true, ...(access === 'write' && { create: true }) }]
}
