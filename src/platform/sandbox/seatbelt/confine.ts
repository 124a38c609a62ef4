import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SandboxPath, SandboxProfile } from '../../../model/index.ts'
import type { Program } from '../bwrap.ts'
import { splitEnvironment } from '../bwrap-environment.ts'
import type { Confined } from '../confine.ts'
import { guardParts } from '../guard-parts.ts'
import { programPrefixes } from '../interpreter.ts'
import { lookAtPaths, ownEnvironment, type SeenPath, temporaryFolder, workingFolder } from '../look.ts'
import { isWithin } from '../within.ts'
import { seatbeltPolicy } from './policy.ts'

export interface SeatbeltOptions {
  /** The system's `sandbox-exec`. */
  readonly command: string
  /** Only Orla's, for a policy that is too long for a command line. */
  readonly folder: string
  /** Where the program runs from, when that is known. */
  readonly prefixes?: readonly string[]
}

/** What must be started so that macOS holds this program to its profile. Throws a `SandboxRefusal`. */
export function confineWithSeatbelt(
  program: Program,
  profile: SandboxProfile,
  { command, folder, prefixes = programPrefixes(program, profile) }: SeatbeltOptions,
): Confined {
  const { paths } = lookAtPaths(profile, prefixes, false)
  const guarded = guardParts(profile, paths).map((entry) => ({ ...entry, path: spelled(entry.path) }))
  const entries = [...missingParts(profile, paths), ...guarded].sort((a, b) => (a.path < b.path ? -1 : 1))
  const { network } = profile
  const policy = writePolicy(seatbeltPolicy({ network, sockets: socketsOf(profile) }, entries), folder)
  const { own, handed } = splitEnvironment(ownEnvironment(program.env, profile, temporaryFolder(profile)))
  return {
    program: {
      file: command,
      args: [...policy.words, '--', ...withVariables(handed, program)],
      cwd: workingFolder(program.cwd, paths, profile),
      env: own,
    },
    setup: undefined,
    close: async () => {
      policy.close()
      return undefined
    },
  }
}

/** Here a part that is not there needs nothing to be mounted on: no rule lets it be made, or be seen once it is. */
function missingParts({ paths }: SandboxProfile, seen: readonly SeenPath[]): readonly SeenPath[] {
  const isSeen = (path: string) => seen.some((found) => found.path === path || found.alias === path)
  return paths
    .filter(({ path, access, pinned }) => access !== 'write' && !pinned && !isSeen(path))
    .map(({ path, access }: SandboxPath) => ({ path: spelled(path), access, kind: 'folder' }))
}

/** By the names that were granted and by where they lead; a link where other tools write leads nowhere. */
function socketsOf({ sockets, workspace, state }: SandboxProfile): readonly string[] {
  const led = sockets
    .filter((path) => !isWithin(path, workspace) && !isWithin(path, state))
    .map((path) => (existsSync(path) ? realpathSync.native(path) : path))
  return [...new Set([...sockets, ...led])]
}

/** As the system spells it, as far as it is there. What stands at the end is not followed. */
function spelled(path: string): string {
  const folder = dirname(path)
  if (folder === path) return path
  try {
    return join(realpathSync.native(folder), basename(path))
  } catch {
    return join(spelled(folder), basename(path))
  }
}

/** Longer ones go through a file: all words and variables of a program together have a megabyte. */
const LONGEST_WORD = 65_536

function writePolicy(text: string, folder: string): { readonly words: readonly string[]; close(): void } {
  if (Buffer.byteLength(text) <= LONGEST_WORD) return { words: ['-p', text], close: () => {} }
  const place = mkdtempSync(join(folder, 'policy-'))
  const file = join(place, 'policy.sb')
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  return { words: ['-f', file], close: () => rmSync(place, { recursive: true, force: true }) }
}

/** What could steer `sandbox-exec`, which is not confined yet, is set inside. */
function withVariables(handed: Readonly<Record<string, string>>, { file, args }: Program): readonly string[] {
  const variables = Object.entries(handed).map(([name, value]) => `${name}=${value}`)
  if (variables.length === 0) return [file, ...args]
  // env takes what has such a sign for a variable.
  const start = file.includes('=') ? ['/bin/sh', '-c', 'exec "$0" "$@"', file] : [file]
  return ['/usr/bin/env', ...variables, ...start, ...args]
}
