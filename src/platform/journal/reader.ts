import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '../../model/index.ts'
import { listFolder } from '../files.ts'
import { OWNER_PATTERN } from '../owner.ts'
import { readPrivateFile } from '../private-file.ts'
import { findRecords } from './record.ts'

/** All that was ever written and not removed, in no particular order. */
export interface JournalContent {
  readonly records: readonly string[]
  /** Files in which something could not be read; the rest of them is among the records. */
  readonly damaged: readonly string[]
}

/** What a snapshot says about itself. */
export interface SnapshotHead {
  readonly v: 1
  readonly records: number
  /** How far each journal is part of it, and when that was found. */
  readonly absorbed: Readonly<Record<string, readonly [bytes: number, at: number]>>
}

export interface GatheredContent extends JournalContent {
  readonly absorbed: SnapshotHead['absorbed']
  readonly journals: readonly ReadJournal[]
}

export interface ReadJournal {
  readonly name: string
  /** Behind the last whole record. */
  readonly end: number
  /** Of the file when it was read. */
  readonly bytes: number
}

export const SNAPSHOT = 'snapshot'

export function readJournals(folder: string): JournalContent {
  return gatherJournals(folder)
}

/**
 * The journals are read before the snapshot: one that is taken up meanwhile is in the newer snapshot, which
 * says how much of it is. Nothing is missed and nothing is counted twice.
 */
export function gatherJournals(folder: string): GatheredContent {
  const found = journalsIn(folder).flatMap((name) => {
    const bytes = readPrivateFile(join(folder, name), LARGEST_JOURNAL)
    return bytes === undefined ? [] : [{ name, bytes: Buffer.from(bytes.buffer) }]
  })
  const snapshot = readSnapshot(join(folder, SNAPSHOT))
  const damaged = snapshot.damaged ? [SNAPSHOT] : []
  const records = [...snapshot.records]
  const journals = found.map(({ name, bytes }) => {
    const { texts, end, damaged: isDamaged } = findRecords(bytes, snapshot.absorbed[name]?.[0] ?? 0)
    for (const text of texts) records.push(text)
    if (isDamaged) damaged.push(name)
    return { name, end, bytes: bytes.length }
  })
  return { records, damaged, journals, absorbed: snapshot.absorbed }
}

/** OWNER-RANDOM.SEQUENCE */
export const JOURNAL_NAME = new RegExp(`^(${OWNER_PATTERN})-([0-9a-f]{8})\\.([0-9]{1,9})$`)

export function journalsIn(folder: string): string[] {
  try {
    return listFolder(folder).filter((name) => JOURNAL_NAME.test(name))
  } catch {
    return [] // a folder that may not be read
  }
}

const LARGEST_JOURNAL = 16 * 1_048_576
const LARGEST_SNAPSHOT = 256 * 1_048_576

interface Snapshot {
  readonly records: readonly string[]
  readonly absorbed: SnapshotHead['absorbed']
  readonly damaged: boolean
}

function readSnapshot(file: string): Snapshot {
  const bytes = readPrivateFile(file, LARGEST_SNAPSHOT)
  if (bytes === undefined) return { records: [], absorbed: {}, damaged: isThere(file) }
  const { texts, damaged } = findRecords(Buffer.from(bytes.buffer))
  const head = parseHead(texts[0])
  // Without its head nobody knows what it holds: the journals would count twice.
  if (head === undefined) return { records: [], absorbed: {}, damaged: true }
  const records = texts.slice(1)
  return { records, absorbed: head.absorbed, damaged: damaged || records.length !== head.records }
}

function parseHead(text: string | undefined): SnapshotHead | undefined {
  try {
    const head: unknown = JSON.parse(text ?? '')
    const isHead = isJsonObject(head) && head.v === 1 && isJsonObject(head.absorbed)
    // The sum says that it is as `compactJournals` wrote it.
    return isHead ? (head as unknown as SnapshotHead) : undefined
  } catch {
    return undefined
  }
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // a folder that may not be entered
  }
}
