import { join } from 'node:path'
import type { InstalledFolder, PackageGuard } from '../../catalog/index.ts'
import type { Catalog, Log, Receipt, Tool } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { type FileWatch, watchFiles } from './file-watch.ts'
import { openKnownPackages } from './known-packages.ts'
import { createLockReader } from './locked-entries.ts'
import { openRecords } from './records.ts'
import { reinstall } from './reinstall.ts'
import { createScanGuards, type ScanPatience } from './scan-guard.ts'

/** Holds installed packages to what was installed: when they are loaded, and before each call. */
export interface Integrity {
  guard(loaded: LoadedConfig, offered: OfferedTools): PackageGuard
  /** Why a call of the tool is denied; undefined when its package is as it was. */
  before(tool: Tool): string | undefined | Promise<string | undefined>
  after(tool: Tool, ms: number): void
  /** What is not in the catalog any more is no longer watched. */
  refreshed(catalog: Catalog): void
  /** What differs in a folder; undefined when nothing does, or nothing was installed there. */
  readonly differenceIn: (folder: string) => string | undefined
}

interface Options {
  /** What was installed by whoever asks was checked then, byte for byte, and is not read again. */
  readonly justInstalled?: ReadonlySet<string>
  /** Of a server, which stays: the files of packages are watched between calls, and what is found then is told here. */
  readonly log?: Log
  readonly patience?: ScanPatience
}

interface Watched {
  readonly receipt: Receipt
  files: FileWatch | undefined
}

export function openIntegrity(
  home: string,
  { justInstalled = new Set(), log, patience }: Options = {},
): Integrity {
  const records = openRecords(home)
  const watches = new Map<string, Watched>()
  const readLocks = createLockReader()

  function watch({ folder, receipt }: InstalledFolder): () => FileWatch {
    const known = watches.get(folder)
    const isSame = known !== undefined && digestsOf(known.receipt) === digestsOf(receipt)
    if (!isSame) {
      known?.files?.release()
      watches.set(folder, { receipt, files: undefined })
    }
    return () => filesIn(folder) as FileWatch // it was put there just now
  }

  /** Most packages are never called, and then nobody looks. */
  function filesIn(folder: string): FileWatch | undefined {
    const watched = watches.get(folder)
    if (watched === undefined) return undefined
    const { receipt } = watched
    const tell = (difference: string) =>
      log?.warn(notRun(receipt.name, difference), { file: folder, hint: reinstall(receipt) })
    watched.files ??= watchFiles(folder, receipt, records, log && tell)
    return watched.files
  }

  const guardScan = createScanGuards({
    records,
    known: openKnownPackages(home),
    watch,
    justInstalled,
    patience,
  })

  return {
    guard({ file, root }, offered) {
      const global = join(home, 'orla.lock')
      const project = file === null ? global : join(root, 'orla.lock')
      return {
        forScan() {
          // Without a project, the .mcpkg packages of a folder have a lock beside them.
          const own = readLocks([project, join(root, '.mcp', 'orla.lock')])
          const everyones = readLocks([global])
          return guardScan((scope) => (scope === 'global' ? everyones : own))
        },
        withheld: (capsule) => offered.withheld(capsule),
      }
    },
    before({ name, origin }) {
      const files = origin.kind === 'package' ? filesIn(origin.folder) : undefined
      const found = files?.glance()
      if (found === undefined || files === undefined) return undefined
      const denial = (difference: string | undefined) =>
        difference && `${notRun(name, difference)}; ${reinstall(files.receipt)}`
      return typeof found === 'string' ? denial(found) : found.then(denial)
    },
    refreshed({ tools }) {
      const folders = new Set(
        [...tools.values()].map(({ origin }) => origin.kind === 'package' && origin.folder),
      )
      for (const [folder, { files }] of watches) if (!folders.has(folder)) files?.release()
    },
    differenceIn: (folder) => filesIn(folder)?.look(),
    after({ origin }, ms) {
      if (origin.kind === 'package') filesIn(origin.folder)?.took(ms)
    },
  }
}

function notRun(name: string, difference: string): string {
  return `\`${name}\` is not run: ${difference} since it was installed`
}

function digestsOf({ digest, digest_after_hook }: Receipt): string {
  return `${digest} ${digest_after_hook ?? ''}`
}
