import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** One started program: what its descendants are recognised by. */
export interface Started {
  readonly pid: number
  readonly marker: string
  /** `performance.now()` when it began. */
  readonly at: number
}

export interface Found {
  readonly living: readonly Member[]
  /** A young process showed no environment: it may be in the middle of an exec. Look again. */
  readonly unsure: boolean
}

export interface Member {
  readonly pid: number
  readonly group: number
}

/**
 * Finds the living descendants of a program in /proc, wherever they moved to: by the session it leads, by the
 * marker in their environment, and by their parent as long as that is known to belong.
 *
 * What is not found: a process that left the session AND carries no readable marker (it cleared its environment,
 * runs as another user, or made itself unreadable as agents holding keys do) AND whose parent is gone. Only a
 * pid namespace or a subreaper would hold that one.
 */
export interface Descendants {
  /**
   * After the program itself has ended. One small read when nothing was forked since it began, else a few
   * pids: some 50 µs of a call that takes 1,500.
   */
  remaining(started: Started): Promise<Found>
  /** At any time, itself included. Reads all of /proc. */
  all(started: Started): Promise<Found>
}

/** Looking at this many pids one by one is cheaper than listing /proc. */
const DIRECT = 64
/** Between two turns of the event loop. */
const CHUNK = 64
/** No machine hands out pids faster than this, so none has gone round within `pid_max` times it. */
const FASTEST_FORK_MS = 0.005

/** Undefined where there is no /proc, or one of another pid namespace. */
export function createDescendants(): Descendants | undefined {
  if (!hasOwnProc()) return undefined
  const roundTripMs = pidMax() * FASTEST_FORK_MS

  async function remaining(started: Started): Promise<Found> {
    const last = lastPid()
    const young = performance.now() - started.at < roundTripMs && last >= started.pid
    if (!young) return all(started)
    if (last === started.pid) return NONE
    const range = { from: started.pid + 1, to: last }
    const pids =
      last - started.pid <= DIRECT ? numbersIn(range) : listPids().filter((pid) => isIn(range, pid))
    return look(started, pids, last)
  }

  async function all(started: Started): Promise<Found> {
    const last = lastPid()
    return look(started, listPids(), last)
  }
  return { remaining, all }
}

const NONE: Found = { living: [], unsure: false }

/** What is forked while we look has a higher pid than all we looked at: go on until nothing is new. */
async function look(started: Started, pids: readonly number[], upTo: number): Promise<Found> {
  const entries: Entry[] = []
  for (let next = pids, last = upTo, rounds = 0; next.length > 0 && rounds < 8; rounds++) {
    for (const [index, pid] of next.entries()) {
      if (index > 0 && index % CHUNK === 0) await nextTurn()
      const entry = readEntry(pid)
      if (entry !== undefined) entries.push(entry)
    }
    const newest = lastPid()
    const added = newest - last
    next = added > 0 && added <= DIRECT ? numbersIn({ from: last + 1, to: newest }) : []
    last = newest
  }
  return choose(started, entries)
}

function choose(started: Started, entries: readonly Entry[]): Found {
  const members = new Map<number, Entry>()
  let unsure = false
  const others: Entry[] = []
  for (const entry of entries) {
    const environment = entry.session === started.pid ? 'own' : readMarker(entry.pid, started.marker)
    if (environment === 'own') members.set(entry.pid, entry)
    else others.push(entry)
    if (environment === 'empty' && entry.pid > started.pid && entry.hasMemory) unsure = true
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const entry of others) if (members.has(entry.parent)) members.set(entry.pid, entry)
  }
  return { living: [...members.values()], unsure }
}

interface Entry extends Member {
  readonly parent: number
  readonly session: number
  /** Kernel threads have none, and no environment either. */
  readonly hasMemory: boolean
}

/** Undefined for what is gone, zombies included: they hold nothing and only wait for their parent. */
function readEntry(pid: number): Entry | undefined {
  // Most pids of a range are gone already, and asking is four times cheaper than failing to open.
  if (!existsSync(`/proc/${pid}`)) return undefined
  const stat = readIfThere(`/proc/${pid}/stat`)?.toString('latin1')
  if (stat === undefined) return undefined
  // The second field is a name in brackets that may contain anything, brackets and spaces included.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  if (state === 'Z' || state === 'X' || session === undefined) return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    hasMemory: fields[20] !== '0',
  }
}

function readMarker(pid: number, marker: string): 'own' | 'other' | 'empty' {
  const environment = readIfThere(`/proc/${pid}/environ`)
  if (environment?.length === 0) return 'empty'
  return environment?.includes(marker) ? 'own' : 'other'
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function listPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

interface Range {
  readonly from: number
  readonly to: number
}

function numbersIn({ from, to }: Range): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function isIn({ from, to }: Range, pid: number): boolean {
  return pid >= from && pid <= to
}

/** The pid most recently handed out in this pid namespace; 0 when it cannot be told. */
function lastPid(): number {
  const text = readIfThere('/proc/loadavg')?.toString('latin1') ?? ''
  return Number(text.slice(text.lastIndexOf(' ') + 1))
}

function pidMax(): number {
  return Number(readIfThere('/proc/sys/kernel/pid_max')?.toString('latin1') ?? 32768)
}

function hasOwnProc(): boolean {
  try {
    return process.platform === 'linux' && readlinkSync('/proc/self') === String(process.pid) && lastPid() > 0
  } catch {
    return false
  }
}
