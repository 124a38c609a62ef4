import { execFile } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { moveInto } from './move-into.ts'

/**
 * A private folder that stands for the top of a project while a program runs. Files of the top lie in it as links, so
 * that a change is seen at once; what the program makes, replaces or removes directly in it is carried over when it has
 * ended, except for protected names. The program never has the real folder: there a protected file could be made, or be
 * exchanged by somebody outside while it runs, which takes away whatever covers it.
 */
export interface Draft {
  readonly folder: string
  /** Whether a file of the top lies in it from now on; otherwise something has to be mounted in its place. */
  link(name: string): boolean
  /** Makes something to mount on. */
  place(name: string, kind: 'file' | 'folder'): void
  /** Carries over what changed, and is gone. */
  settle(): Promise<Unsettled>
}

/** What was not carried over. */
export interface Unsettled {
  /** Names that are protected. What was made there is not kept. */
  readonly refused: readonly string[]
  /** Names at which something else lies. What was made stays in `folder`. */
  readonly stranded: readonly string[]
  readonly folder: string
}

export interface DraftOptions {
  /** The real folder. */
  readonly top: string
  /** Where Orla keeps what is made for a moment. */
  readonly own: string
  /** Names that are never carried over. */
  readonly isProtected: (name: string) => boolean
}

const PREFIX = 'draft-'
const KEPT_MS = 7 * 24 * 3_600_000

/** Undefined where there is no place for one: links take the same file system. */
export function openDraft({ top, own, isProtected }: DraftOptions): Draft | undefined {
  const base = baseFor(top, own)
  let folder: string
  try {
    folder = mkdtempSync(join(base, PREFIX))
    chmodSync(folder, statSync(top).mode & 0o777)
  } catch {
    leave(base, own)
    return undefined
  }
  const inodes = new Map<string, bigint>()
  const places = new Map<string, 'file' | 'folder'>()
  const inside = (name: string) => join(folder, name)

  function carryOver(): Unsettled {
    for (const [name, kind] of places)
      attempt(() => (kind === 'folder' ? rmdirSync : unlinkSync)(inside(name)))
    const refused: string[] = []
    const stranded: string[] = []
    for (const name of readdirSync(folder)) {
      if (inodes.get(name) === inodeAt(inside(name))) continue
      if (isProtected(name)) refused.push(name)
      else if (!moveInto(folder, top, name)) stranded.push(name)
    }
    for (const [name, inode] of inodes) {
      const found = inodeAt(inside(name))
      if (found === inode) attempt(() => unlinkSync(inside(name)))
      const isRemoved = found === undefined && !isProtected(name)
      if (isRemoved && inodeAt(join(top, name)) === inode) attempt(() => unlinkSync(join(top, name)))
    }
    return { refused, stranded, folder }
  }

  return {
    folder,
    link(name) {
      return attempt(() => {
        linkSync(join(top, name), inside(name))
        inodes.set(name, lstatSync(inside(name), { bigint: true }).ino)
      })
    },
    place(name, kind) {
      if (kind === 'folder') mkdirSync(inside(name))
      else writeFileSync(inside(name), '', { flag: 'wx' })
      places.set(name, kind)
    },
    async settle() {
      // Who took all of it away did not mean the project.
      const isThere = inodeAt(folder) !== undefined
      const unsettled = isThere ? carryOver() : { refused: [], stranded: [], folder }
      if (isThere && !attempt(() => rmdirSync(folder)) && unsettled.stranded.length === 0)
        await remove(folder)
      leave(base, own)
      return unsettled
    },
  }
}

/** Of whoever was killed: nobody runs for so long, and what is left may be missed for a while. */
export async function sweepDrafts(own: string): Promise<void> {
  const before = Date.now() - KEPT_MS
  const isOld = (path: string) => (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before
  const drafts = readdirSync(own).filter((name) => name.startsWith(PREFIX))
  for (const path of drafts.map((name) => join(own, name)).filter(isOld)) await remove(path)
}

/** By descriptors: nobody who still runs inside leads it elsewhere by a link. */
async function remove(folder: string): Promise<void> {
  await promisify(execFile)('rm', ['-rf', '--', folder]).catch(() => {})
}

/** In Orla's own folder, or in the one it has in projects, made for the moment. */
function baseFor(top: string, own: string): string {
  if (statSync(own).dev === statSync(top).dev) return own
  const inProject = join(top, '.mcp')
  attempt(() => mkdirSync(inProject, { mode: 0o700 }))
  return inProject
}

/** Only when it is empty, and so nobody else's. */
function leave(base: string, own: string): void {
  if (base !== own) attempt(() => rmdirSync(base))
}

function inodeAt(path: string): bigint | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}

function attempt(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
