import { closeSync, openSync, rmdirSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OrlaError } from '../model/index.ts'
import { asFileError } from './file-error.ts'
import { listFolder } from './files.ts'
import { makePath } from './make-path.ts'
import { OWNER_PATTERN, ownerMark, ownerState } from './owner.ts'
import { uniqueName } from './unique-name.ts'

export interface FolderLockOptions {
  /** Once, when someone else is first; the process that holds the lock. */
  readonly onWait?: (holderPid: number) => void
  /** Ends the waiting, not the work. */
  readonly signal?: AbortSignal
}

/**
 * Runs `work` while no other process (and no other call in this one) runs its own under the same `folder`.
 * Whoever asks first is served first. A killed holder is noticed at once, one on another machine or in another
 * container after a minute without a heartbeat.
 *
 * The lock is a folder of tickets (Lamport's bakery): everyone draws a number and the lowest living one has
 * the lock. A ticket belongs to one process and is never used again, so removing a dead one cannot hit a
 * living one, which a single lock file that is taken over cannot promise.
 */
export async function withFolderLock<T>(
  folder: string,
  work: () => Promise<T>,
  options: FolderLockOptions = {},
): Promise<T> {
  const ticket = draw(folder)
  const heartbeat = setInterval(() => touch(folder, ticket), HEARTBEAT_MS)
  heartbeat.unref()
  try {
    await waitForTurn(folder, ticket, options)
    return await work()
  } finally {
    clearInterval(heartbeat)
    remove(folder, ticket)
    removeIfEmpty(folder)
  }
}

const HEARTBEAT_MS = 5_000
const SILENT_FOR_MS = 60_000
const SHORTEST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50

/** `choosing.OWNER.RANDOM` while someone looks for its number, `ticket.NUMBER.OWNER.RANDOM` then. */
const NAME = new RegExp(`^(?:choosing|ticket\\.([0-9]{12}))\\.(${OWNER_PATTERN})\\.[0-9a-f]{16}$`)

function draw(folder: string): string {
  const suffix = `${ownerMark()}.${uniqueName(16)}`
  const choosing = `choosing.${suffix}`
  try {
    announce(folder, choosing)
    const numbers = listFolder(folder).map((name) => Number(NAME.exec(name)?.[1] ?? 0))
    const ticket = `ticket.${String(1 + Math.max(0, ...numbers)).padStart(12, '0')}.${suffix}`
    create(folder, ticket)
    remove(folder, choosing)
    return ticket
  } catch (error) {
    remove(folder, choosing)
    throw asFileError(error, `lock ${folder}`)
  }
}

/** The last one to leave removes the folder, perhaps just now. */
function announce(folder: string, choosing: string): void {
  for (;;) {
    makePath(folder)
    try {
      create(folder, choosing)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

async function waitForTurn(folder: string, ticket: string, options: FolderLockOptions): Promise<void> {
  let told = false
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const first = whoIsFirst(folder, ticket)
    // A listing may miss a name that appears while it is made. It appears once, so two cannot both miss it.
    if (first === undefined && whoIsFirst(folder, ticket) === undefined) return
    if (first?.hasTicket && !told) {
      told = true
      options.onWait?.(first.pid)
    }
    if (options.signal?.aborted) throw new OrlaError('E_INTERRUPTED', 'Interrupted while waiting')
    await delay(pauseMs, undefined, options.signal ? { signal: options.signal } : {}).catch(() => {})
  }
}

/** One who comes (or may yet come) before this ticket; undefined when it is its turn. */
function whoIsFirst(
  folder: string,
  ticket: string,
): { readonly pid: number; readonly hasTicket: boolean } | undefined {
  for (const name of listFolder(folder).sort()) {
    const [, number, owner] = NAME.exec(name) ?? []
    if (owner === undefined || (number !== undefined && name >= ticket)) continue
    if (isLeftBehind(folder, name, owner, ticket)) remove(folder, name)
    else return { pid: Number(owner.split('-')[0]), hasTicket: number !== undefined }
  }
  return undefined
}

function isLeftBehind(folder: string, name: string, owner: string, ticket: string): boolean {
  const state = ownerState(owner)
  if (state !== 'elsewhere') return state === 'gone'
  // Both ages by the clock of the disk, which may be another machine's.
  touch(folder, ticket)
  const now = modified(folder, ticket)
  const then = modified(folder, name)
  return now !== undefined && then !== undefined && now - then > SILENT_FOR_MS
}

function create(folder: string, name: string): void {
  closeSync(openSync(join(folder, name), 'wx'))
}

function remove(folder: string, name: string): void {
  try {
    unlinkSync(join(folder, name))
  } catch {
    // It is gone already, or never was there.
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Someone else waits, or was quicker.
  }
}

function touch(folder: string, name: string): void {
  try {
    const fd = openSync(join(folder, name), 'r+')
    writeSync(fd, '.', 0)
    closeSync(fd)
  } catch {
    // Whoever removed the ticket had a reason; the work is not theirs to end.
  }
}

function modified(folder: string, name: string): number | undefined {
  return statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs
}
