import type { InstalledFolder, ScanGuard } from '../../catalog/index.ts'
import { definitionHash, formatReceipt } from '../../formats/index.ts'
import { type LockEntry, type Problem, RECEIPT } from '../../model/index.ts'
import {
  addToStamp,
  changedPaths,
  lookAtProgram,
  nowMs,
  readTextIfThere,
  type TreeStamp,
} from '../../platform/index.ts'
import { doubtOf } from './doubt.ts'
import type { FileWatch } from './file-watch.ts'
import { FEW_PATHS, type KnownPackage, type KnownPackages } from './known-packages.ts'
import type { Locked } from './locked-entries.ts'
import type { InstallRecords } from './records.ts'
import { reinstall } from './reinstall.ts'

/** Of the time a scan takes, what may go into looking at files. The rest is looked at before its first call. */
const SCAN_MS = 100

/** For someone who wants to see all of them, and is told the same the next time without another look. */
export interface ScanPatience {
  readonly scanMs: number
  /** There was no time to look at all files. */
  readonly onSkipped: () => void
}

/** Scans that follow each other sooner count as one. */
const SCAN_PAUSE_MS = 1_000

interface Deps {
  readonly records: InstallRecords
  readonly known: KnownPackages
  /** The files of a package, once someone looks at them. */
  readonly watch: (found: InstalledFolder) => () => FileWatch
  readonly justInstalled: ReadonlySet<string>
  readonly patience?: ScanPatience | undefined
}

/** Holds the packages of each scan to what was installed, and to what the lock says that is for them. */
export function createScanGuards({ records, known, watch, justInstalled, patience }: Deps) {
  const { scanMs = SCAN_MS, onSkipped } = patience ?? {}
  let scan = { at: Number.NEGATIVE_INFINITY, spentMs: 0 }

  function isTime(): boolean {
    const now = nowMs()
    if (now - scan.at > SCAN_PAUSE_MS) scan = { at: now, spentMs: 0 }
    return scan.spentMs < scanMs
  }

  function timed<T>(look: () => T): T {
    const begun = nowMs()
    const found = look()
    scan.spentMs += nowMs() - begun
    return found
  }

  /** What is known of it, when it still is so. */
  function unchanged(folder: string): KnownPackage | undefined {
    const one = known.of(folder)
    return one !== undefined && changedPaths(folder, one.files).length === 0 ? one : undefined
  }

  /** Why it is not served. */
  async function difference(found: InstalledFolder, locked: Locked): Promise<Problem | undefined> {
    const { folder, receipt, manifest } = found
    const files = watch(found)
    // First: what changes in between differs from it later.
    const locks = locked.mark()
    const doubt = await doubtOf(found, records)
    if (doubt !== undefined) return refuse(found, doubt)
    const other = differenceFromLock(found, locked.of(receipt))
    if (other !== undefined || justInstalled.has(folder)) return other
    // A capsule may start without a call.
    if (!isTime() && manifest.runtime.mode !== 'capsule') {
      onSkipped?.()
      return undefined
    }
    const changed = timed(() => files().look())
    if (changed !== undefined) return refuse(found, `${changed} since it was installed`)
    const stamp = files().stamp()
    if (locks !== undefined && stamp !== undefined && stamp.paths.length < FEW_PATHS)
      remember(found, locks, stamp)
    return undefined
  }

  function remember({ folder, receipt, manifest }: InstalledFolder, locks: string, stamp: TreeStamp): void {
    const files = addToStamp(folder, stamp, RECEIPT)
    // It was read before that: what counts is that it still says what was vouched for.
    const isSame = readTextIfThere(`${folder}/${RECEIPT}`) === formatReceipt(receipt)
    const program = lookAtProgram(`${folder}/${manifest.entrypoint}`)
    // Without its hash in the receipt someone has to read the manifest in any case.
    if (files === undefined || !isSame || program.kind !== 'file' || receipt.manifest_sha256 === undefined)
      return
    known.keep(folder, { files, receipt, locks, line: program.firstLine })
  }

  /** The same of one whose files are as they were. */
  function differenceOfKnown(found: InstalledFolder, locked: Locked, one: KnownPackage): Problem | undefined {
    watch(found)
    const locks = locked.mark()
    if (one.locks === locks) return undefined
    const other = differenceFromLock(found, locked.of(found.receipt))
    if (other === undefined && locks !== undefined) known.keep(found.folder, { ...one, locks })
    return other
  }

  return (lockedFor: (scope: InstalledFolder['scope']) => Locked): ScanGuard => {
    const same = new Map<string, KnownPackage>()
    return {
      known(folder) {
        const one = isTime() ? timed(() => unchanged(folder)) : undefined
        if (one !== undefined) same.set(folder, one)
        return one
      },
      async refusal(found) {
        const locked = lockedFor(found.scope)
        const one = same.get(found.folder)
        return one === undefined ? difference(found, locked) : differenceOfKnown(found, locked, one)
      },
      end: () => known.flush(),
    }
  }
}

function differenceFromLock(found: InstalledFolder, lock: LockEntry | undefined): Problem | undefined {
  const { receipt, manifest } = found
  // A folder on someone's machine is whatever it was when it was installed there.
  if (lock === undefined || lock.pin.kind === 'directory') return undefined
  if (lock.digest !== receipt.digest) return refuse(found, 'it is not what orla.lock says')
  if (lock.definition === definitionHash(manifest)) return undefined
  return refuse(
    found,
    `version ${receipt.version} tells models something else (name, description, schemas or annotations) than when it was accepted`,
    `\`orla info ${receipt.name}\` shows what; \`orla trust definitions ${receipt.name}\` accepts it`,
  )
}

function refuse({ folder, receipt }: InstalledFolder, why: string, hint = reinstall(receipt)): Problem {
  return { file: folder, message: `is not served: ${why}`, hint, tool: receipt.name }
}
