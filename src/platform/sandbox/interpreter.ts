import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { SandboxProfile } from '../../model/index.ts'
import type { OpenRequest } from '../process/starter.ts'
import { lookAtProgram } from '../program-file.ts'
import { findProgram } from '../programs.ts'
import { SandboxRefusal } from './refusal.ts'
import { SYSTEM_FOLDERS } from './system-files.ts'
import { covering, isWithin } from './within.ts'

/**
 * Folders outside the system's from which the program, its interpreter and the programs it was granted run: those of
 * nvm, pyenv and the like. A package names its interpreter itself, and so could name any folder: only those count from
 * which the person runs programs. Throws a `SandboxRefusal` for others, and for the whole home or disk.
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
    // What a link leads to that the person or the system has made is theirs too; a package may have made others.
    const isTheirs = isOfSystem(path) || isOnPath(path, profile)
    for (const place of [path, real(path)]) {
      if (isOfSystem(place) || isWithin(place, profile.package)) continue
      const granted = covering(profile.paths, place)
      if (granted !== undefined && granted.access !== 'hidden') continue
      const prefix = prefixOf(place, profile)
      if (!isTheirs && !isOnPath(place, profile)) throw strange(place)
      if (profile.protected.secrets.some((secret) => isWithin(prefix, secret))) throw strange(place)
      prefixes.add(prefix)
    }
  }
  return [...prefixes]
}

function isOfSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isWithin(path, folder))
}

/** Beside a program that the person can call by its name. */
function isOnPath(path: string, { programFolders, home }: SandboxProfile): boolean {
  if (programFolders === undefined) return true
  const folder = real(dirname(path))
  const prefix = prefixAround(path, home)
  return programFolders.some((one) => one === folder || prefixAround(join(one, 'x'), home) === prefix)
}

function strange(path: string): SandboxRefusal {
  return new SandboxRefusal(`${path} is to run it, which is in no folder of the PATH`)
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
  const prefix = prefixAround(path, home)
  if (!isWithin(home, prefix)) return prefix
  throw new SandboxRefusal(`${path} would show the sandbox all of ${prefix}; move it to a folder of its own`)
}

/** What a program needs around it. */
function prefixAround(path: string, home: string): string {
  const store = STORES.find((folder) => isWithin(path, folder))
  if (store !== undefined) return store
  const folder = dirname(path)
  const prefix = /^(?:s?bin|shims)$/.test(basename(folder)) ? dirname(folder) : folder
  // Beside its programs a person's .local holds what many others keep there.
  return prefix === join(home, '.local') ? path : prefix
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
