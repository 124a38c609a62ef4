import { linkSync, renameSync, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { OrlaError } from '../../model/index.ts'
import { asFileError } from '../file-error.ts'
import { listFolder, makeFolder, removeFile } from '../files.ts'
import { withFolderLock } from '../folder-lock.ts'
import { ownerState } from '../owner.ts'
import { syncFolder } from '../sync.ts'
import {
  gatherJournals,
  JOURNAL_NAME,
  journalsIn,
  type ReadJournal,
  SNAPSHOT,
  type SnapshotHead,
} from './reader.ts'
import { encodeRecord } from './record.ts'

export interface CompactOptions {
  /** Waits for another process that does the same; otherwise it is left to that one. */
  readonly wait: boolean
  readonly now?: () => number
}

/** What was taken up; the names are of files that were set aside. */
export interface Compacted {
  readonly setAside: readonly string[]
}

/**
 * Makes one snapshot of all records. Undefined when another process is at it. Ended at any moment, the old
 * state or the new one is there: a journal is removed after the snapshot that says how much of it it holds.
 */
export async function compactJournals(
  folder: string,
  merge: (records: readonly string[]) => Promise<readonly string[]>,
  { wait, now = Date.now }: CompactOptions,
): Promise<Compacted | undefined> {
  try {
    makeFolder(folder)
    // A signal that was given already: who is not first does not wait.
    const options = wait ? {} : { signal: AbortSignal.abort() }
    return await withFolderLock(join(folder, 'lock'), () => compact(folder, merge, now), options)
  } catch (error) {
    if (error instanceof OrlaError && error.code === 'E_INTERRUPTED') return undefined
    throw asFileError(error, `write to ${folder}`)
  }
}

/** How many files wait to be taken up. */
export function countJournals(folder: string): number {
  return journalsIn(folder).length
}

/** Longer than anyone reads: who has read a journal finds in the snapshot how much of it that holds. */
const REMEMBERED_MS = 60_000
/** Of a process that cannot be asked, on another machine or in another container. */
const SILENT_FOR_MS = 7 * 24 * 3_600_000

async function compact(
  folder: string,
  merge: (records: readonly string[]) => Promise<readonly string[]>,
  now: () => number,
): Promise<Compacted> {
  sweep(folder)
  const { records, journals, damaged, absorbed } = gatherJournals(folder)
  const merged = await merge(records)
  const at = now()
  const stillThere = new Set(journalsIn(folder))
  const remembered = Object.entries(absorbed).filter(
    ([name, [, then]]) => stillThere.has(name) || at - then < REMEMBERED_MS,
  )
  const taken = journals.map(({ name, end }) => [name, [end, at]] as const)
  const head: SnapshotHead = {
    v: 1,
    records: merged.length,
    absorbed: Object.fromEntries([...remembered, ...taken]),
  }
  const setAside = damaged.filter((name) => name === SNAPSHOT).map(() => putAside(folder, at))
  await writeSnapshot(folder, [JSON.stringify(head), ...merged])
  for (const journal of journals)
    if (isDone(folder, journal, journals, at)) removeFile(join(folder, journal.name))
  return { setAside }
}

/** All of it was read and nobody writes to it any more: its process has ended, or has begun the next file. */
function isDone(
  folder: string,
  { name, bytes }: ReadJournal,
  journals: readonly ReadJournal[],
  at: number,
): boolean {
  const [, owner = '', random, sequence] = JOURNAL_NAME.exec(name) ?? []
  const prefix = `${owner}-${random}.`
  const hasNext = journals.some(
    (one) => one.name.startsWith(prefix) && Number(one.name.slice(prefix.length)) > Number(sequence),
  )
  if (hasNext) return true
  const state = ownerState(owner)
  if (state === 'living') return false
  const now = statSync(join(folder, name), { throwIfNoEntry: false })
  if (now === undefined || now.size !== bytes) return false
  return state === 'gone' || at - now.mtimeMs > SILENT_FOR_MS
}

async function writeSnapshot(folder: string, texts: readonly string[]): Promise<void> {
  const temporary = join(folder, TEMPORARY)
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(Buffer.concat(texts.map(encodeRecord)))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, join(folder, SNAPSHOT))
  syncFolder(folder)
}

/** One at a time writes it, under the lock. */
const TEMPORARY = 'snapshot.tmp'
const ASIDE = /^snapshot\.damaged-/
const MOST_ASIDE = 3

/** For who wants to look at it. */
function putAside(folder: string, at: number): string {
  const name = `snapshot.damaged-${new Date(at).toISOString().replace(/[:.]/g, '-')}`
  try {
    // It stays in its place until the new one takes it.
    linkSync(join(folder, SNAPSHOT), join(folder, name))
  } catch {
    renameSync(join(folder, SNAPSHOT), join(folder, name))
  }
  return join(folder, name)
}

function sweep(folder: string): void {
  const old = listFolder(folder)
    .filter((name) => ASIDE.test(name))
    .sort()
    .slice(0, -MOST_ASIDE)
  for (const name of [TEMPORARY, ...old]) removeFile(join(folder, name))
}
