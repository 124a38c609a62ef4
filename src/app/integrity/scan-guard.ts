import type { InstalledFolder, ScanGuard } from '../../catalog/index.ts'
import { definitionHash, formatReceipt } from '../../formats/index.ts'
import { type LockEntry, type Problem, sha256 } from '../../model/index.ts'
import { changedPaths, lookAtProgram, stampFile, type TreeStamp } from '../../platform/index.ts'
import { doubtOf } from './doubt.ts'
import type { FileWatch } from './file-watch.ts'
import { FEW_PATHS, type KnownPackages } from './known-packages.ts'
import type { Locked } from './locked-entries.ts'
import type { InstallRecords } from './records.ts'
import { reinstall } from './reinstall.ts'

/** Of the time a scan takes, what may go into looking at files. The rest is looked at before its first call. */
const SCAN_MS = 100
/** Scans that follow each other sooner count as one. */
const SCAN_PAUSE_MS = 1_000

interface Deps {
  readonly records: InstallRecords
  readonly known: KnownPackages
  /** The files of a package. */
  readonly watch: (found: InstalledFolder) => FileWatch
  readonly justInstalled: ReadonlySet<string>
}

/** Holds the packages of each scan to what was installed, and to what the lock says that is for them. */
export function createScanGuards({ records, known, watch, justInstalled }: Deps) {
  let scan = { at: Number.NEGATIVE_INFINITY, spentMs: 0 }

  function isTime(): boolean {
    const now = performance.now()
    if (now - scan.at > SCAN_PAUSE_MS) scan = { at: now, spentMs: 0 }
    return scan.spentMs < SCAN_MS
  }

  function timed<T>(look: () => T): T {
    const begun = performance.now()
    const found = look()
    scan.spentMs += performance.now() - begun
    return found
  }

  function knownLine(folder: string, receipt: string): string | undefined {
    const one = known.of(folder)
    if (one === undefined || one.receipt !== sha256(receipt)) return undefined
    if (changedPaths(records.fileOf(folder), one.record).length > 0) return undefined
    return changedPaths(folder, one.files).length === 0 ? one.line : undefined
  }

  function remember({ folder, receipt }: InstalledFolder, record: TreeStamp, files: TreeStamp): void {
    const program = lookAtProgram(`${folder}/${receipt.manifest.entrypoint}`)
    if (program.kind !== 'file') return
    known.keep(folder, { receipt: sha256(formatReceipt(receipt)), record, files, line: program.firstLine })
  }

  /** What differs from what was installed. */
  async function difference(found: InstalledFolder, lock: LockEntry | undefined): Promise<Problem | undefined> {
    const { folder, receipt, manifest } = found
    const files = watch(found)
    // The stamp is taken first: what changes in between differs from it later.
    const record = stampFile(records.fileOf(folder))
    const doubt = await doubtOf(found, records)
    if (doubt !== undefined) return refuse(found, doubt)
    const other = differenceFromLock(found, lock)
    if (other !== undefined || justInstalled.has(folder)) return other
    // A capsule may start without a call.
    if (!isTime() && manifest.runtime.mode !== 'capsule') return undefined
    const changed = timed(() => files.look())
    if (changed !== undefined) return refuse(found, `${changed} since it was installed`)
    const stamp = files.stamp()
    if (record !== undefined && stamp !== undefined && stamp.paths.length <= FEW_PATHS)
      remember(found, record, stamp)
    return undefined
  }

  return (lockOf: (found: InstalledFolder) => Locked): ScanGuard => {
    const unchanged = new Set<string>()
    return {
      knownLine(folder, receipt) {
        const line = isTime() ? timed(() => knownLine(folder, receipt)) : undefined
        if (line !== undefined) unchanged.add(folder)
        return line
      },
      async refusal(found) {
        const lock = lockOf(found)(found.receipt)
        if (!unchanged.has(found.folder)) return difference(found, lock)
        watch(found)
        return differenceFromLock(found, lock)
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
