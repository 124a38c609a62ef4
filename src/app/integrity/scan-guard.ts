import type { InstalledFolder, ScanGuard } from '../../catalog/index.ts'
import { definitionHash, formatReceipt } from '../../formats/index.ts'
import { type LockEntry, type Problem, sha256 } from '../../model/index.ts'
import { changedPaths, lookAtProgram } from '../../platform/index.ts'
import { doubtOf } from './doubt.ts'
import type { FileWatch } from './file-watch.ts'
import { FEW_PATHS, type KnownPackage, type KnownPackages } from './known-packages.ts'
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

  /** What is known of it, when it still is so. */
  function unchanged(folder: string, receipt: string): KnownPackage | undefined {
    const one = known.of(folder)
    const isSame =
      one !== undefined &&
      one.receipt === sha256(receipt) &&
      records.isSameRecord(one.record) &&
      changedPaths(folder, one.files).length === 0
    return isSame ? one : undefined
  }

  function remember(found: InstalledFolder, about: Pick<KnownPackage, 'record' | 'locks' | 'files'>): void {
    const { folder, receipt, manifest } = found
    const program = lookAtProgram(`${folder}/${manifest.entrypoint}`)
    // Without its hash someone has to read the manifest in any case.
    if (program.kind !== 'file' || receipt.manifest_sha256 === undefined) return
    known.keep(folder, { receipt: sha256(formatReceipt(receipt)), ...about, line: program.firstLine })
  }

  /** Why it is not served. */
  async function difference(found: InstalledFolder, locked: Locked): Promise<Problem | undefined> {
    const { folder, receipt, manifest } = found
    const files = watch(found)
    // Stamps are taken first: what changes in between differs from them later.
    const record = records.stampRecord(folder)
    const locks = locked.mark()
    const doubt = await doubtOf(found, records)
    if (doubt !== undefined) return refuse(found, doubt)
    const other = differenceFromLock(found, locked.of(receipt))
    if (other !== undefined || justInstalled.has(folder)) return other
    // A capsule may start without a call.
    if (!isTime() && manifest.runtime.mode !== 'capsule') return undefined
    const changed = timed(() => files.look())
    if (changed !== undefined) return refuse(found, `${changed} since it was installed`)
    const stamp = files.stamp()
    if (record !== undefined && locks !== undefined && stamp !== undefined && stamp.paths.length <= FEW_PATHS)
      remember(found, { record, locks, files: stamp })
    return undefined
  }

  /** The same of one whose files are as they were. */
  function differenceOfKnown(found: InstalledFolder, one: KnownPackage, locked: Locked): Problem | undefined {
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
      knownLine(folder, receipt) {
        const one = isTime() ? timed(() => unchanged(folder, receipt)) : undefined
        if (one !== undefined) same.set(folder, one)
        return one?.line
      },
      async refusal(found) {
        const locked = lockedFor(found.scope)
        const one = same.get(found.folder)
        return one === undefined ? difference(found, locked) : differenceOfKnown(found, one, locked)
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
