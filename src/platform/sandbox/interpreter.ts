import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { SandboxProfile } from '../../model/index.ts'
import type { OpenRequest } from '../process/starter.ts'
import { lookAtProgram } from '../program-file.ts'
import { findProgram } from '../programs.ts'
import { SandboxRefusal } from './refusal.ts'
import { SYSTEM_FOLDERS } from './system-files.ts'
import { isWithin } from './within.ts'

/**
 * Folders outside the system's from which the program, its interpreter and the programs it was granted run: those of
 * nvm, pyenv and the like. Throws a `SandboxRefusal` when that folder would be the whole home or disk.
 */
export function programPrefixes(
  { file, cwd, env }: Pick<OpenRequest, 'file' | 'cwd' | 'env'>,
  profile: SandboxProfile,
): readonly string[] {
  const find = (name: string) => findProgram(name, env.PATH ?? '/usr/bin:/bin', cwd)
  const program = find(file)
  const named = [...interpreters(program), ...profile.programs.map((name) => find(name) ?? name)]
  const found = [program, ...named.map((name) => (isAbsolute(name) ? name : find(name)))]
  const prefixes = new Set<string>()
  for (const path of found) {
    if (path === undefined) continue
    for (const place of [path, real(path)]) {
      const isSeen = [...SYSTEM_FOLDERS, profile.package].some((folder) => isWithin(place, folder))
      if (!isSeen) prefixes.add(prefixOf(place, profile))
    }
  }
  return [...prefixes]
}

/** What the first line of a file asks for. */
export function interpreters(program: string | undefined): readonly string[] {
  const file = program === undefined ? undefined : lookAtProgram(program)
  if (file?.kind !== 'file' || !file.firstLine.startsWith('#!')) return []
  const [interpreter, ...words] = file.firstLine.slice(2).match(/[^ \t\r]+/g) ?? []
  if (interpreter === undefined) return []
  if (basename(interpreter) !== 'env') return [interpreter]
  const asked = words.find((word) => !word.startsWith('-') && !word.includes('='))
  return asked === undefined ? [interpreter] : [interpreter, asked]
}

/** Stores in which the parts of one program lie side by side. */
const STORES = ['/nix/store', '/gnu/store']

function prefixOf(path: string, { home }: SandboxProfile): string {
  const store = STORES.find((folder) => isWithin(path, folder))
  if (store !== undefined) return store
  const folder = dirname(path)
  const prefix = /^(?:s?bin|shims)$/.test(basename(folder)) ? dirname(folder) : folder
  // Beside its programs a person's .local holds what many others keep there.
  if (prefix === join(home, '.local')) return path
  if (isWithin(home, prefix)) {
    throw new SandboxRefusal(
      `${path} would show the sandbox all of ${prefix}; move it to a folder of its own`,
    )
  }
  return prefix
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
