import { dirname } from 'node:path'
import { formatLock, parseLock } from '../formats/index.ts'
import { type Lock, type LockEntry, OrlaError, type Pin } from '../model/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../platform/index.ts'
import type { Candidate } from './candidate.ts'
import { sourceOf } from './pin-words.ts'

const EMPTY: Lock = { v: 1, packages: [] }

/** The last text and what it says: an install asks several times, and checking a long lock takes its time. */
let last: { readonly file: string; readonly text: string; readonly lock: Lock } | undefined

export function readLock(file: string): Lock {
  const text = readTextIfThere(file)
  if (text === undefined) return EMPTY
  if (last?.file !== file || last.text !== text) last = { file, text, lock: parseLock(text, file) }
  return last.lock
}

/** Adds or replaces entries; the file is written only when something differs. */
export function addToLock(file: string, entries: readonly LockEntry[]): void {
  const kept = readLock(file).packages.filter((old) => !entries.some((one) => isSame(old, one)))
  write(file, { v: 1, packages: [...kept, ...entries] })
}

export function removeFromLock(file: string, gone: (entry: LockEntry) => boolean): void {
  write(file, { v: 1, packages: readLock(file).packages.filter((entry) => !gone(entry)) })
}

function write(file: string, lock: Lock): void {
  const text = formatLock(lock)
  if (readTextIfThere(file) === text) return
  makeFolder(dirname(file))
  writeFileAtomic(file, text)
}

export function isSame(a: { name: string; version: string }, b: { name: string; version: string }): boolean {
  return a.name === b.name && a.version === b.version
}

/** A tag that the lock remembers elsewhere is not looked into: whatever is wrong there, this is what happened. */
export function checkMoved(pin: Pin, { packages }: Lock): void {
  if (pin.kind !== 'git') return
  const { url, tag, commit } = pin
  const moved = packages.find(
    (one) => one.pin.kind === 'git' && one.pin.url === url && one.pin.tag === tag,
  )?.pin
  if (moved?.kind !== 'git' || moved.commit === commit) return
  throw new OrlaError(
    'E_TAG_MOVED',
    `the tag ${tag} of ${url} has moved\nlocked ${moved.commit}\nnow    ${commit}`,
    { hint: 'ask its author why; `orla uninstall` and a new install accept the new commit' },
  )
}

/** What was fetched must not contradict what the lock remembers. */
export function checkAgainstLock(candidates: readonly Candidate[], lock: Lock, frozen: boolean): void {
  for (const { manifest, pin, digest } of candidates) {
    const locked = lock.packages.find((entry) => isSame(entry, manifest))
    if (locked === undefined) {
      if (!frozen) continue
      throw new OrlaError('E_FROZEN', `${manifest.name} ${manifest.version} is not in orla.lock`, {
        hint: 'leave out --frozen to change the lock',
      })
    }
    if (locked.pin.kind === 'git' && pin.kind === 'git' && locked.pin.url !== pin.url) {
      throw new OrlaError(
        'E_LOCK',
        `${manifest.name} ${manifest.version} is locked from another repository\nlocked ${sourceOf(locked.pin)}\nnow    ${sourceOf(pin)}`,
        { hint: `\`orla uninstall ${manifest.name}@v${manifest.version}\` first, if the other one is meant` },
      )
    }
    checkMoved(pin, { ...lock, packages: [locked] })
    if (frozen && locked.digest !== digest) {
      throw new OrlaError(
        'E_FROZEN',
        `${manifest.name} ${manifest.version} differs from what orla.lock remembers`,
      )
    }
  }
}
