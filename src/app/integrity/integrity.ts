import { join } from 'node:path'
import type { InstalledFolder, PackageGuard } from '../../catalog/index.ts'
import { definitionHash, parseLock } from '../../formats/index.ts'
import type { Catalog, LockEntry, Log, Pin, Problem, Receipt, Tool } from '../../model/index.ts'
import { readTextIfThere } from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { type FileWatch, listingOf, watchFiles } from './file-watch.ts'
import { type InstallRecords, openRecords, type Voucher } from './records.ts'

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

/** Of the time a scan takes, what may go into looking at files. The rest is looked at before its first call. */
const SCAN_MS = 100
/** Scans that follow each other sooner count as one. */
const SCAN_PAUSE_MS = 1_000

interface Options {
  /** What was installed by whoever asks was checked then, byte for byte, and is not read again. */
  readonly justInstalled?: ReadonlySet<string>
  /** Of a server, which stays: the files of packages are watched between calls, and what is found then is told here. */
  readonly log?: Log
}

export function openIntegrity(home: string, { justInstalled = new Set(), log }: Options = {}): Integrity {
  const records = openRecords(home)
  const watches = new Map<string, FileWatch>()
  const locks = new Map<string, { readonly text: string | undefined; readonly entries: Entries }>()
  let scan = { at: Number.NEGATIVE_INFINITY, spentMs: 0 }

  function entriesIn(file: string): Entries {
    const text = readLockText(file)
    const known = locks.get(file)
    if (known !== undefined && known.text === text) return known.entries
    const entries = entriesOf(text, file)
    locks.set(file, { text, entries })
    return entries
  }

  /** Each file is read once, however many packages are in it. */
  function readLocks(files: readonly string[]): Locked {
    let all: readonly Entries[] | undefined
    return ({ name, version }) => {
      all ??= files.map(entriesIn)
      const key = `${name} ${version}`
      return all.find((entries) => entries.has(key))?.get(key)
    }
  }

  function watch({ folder, receipt }: InstalledFolder): FileWatch {
    const known = watches.get(folder)
    if (known !== undefined && digestsOf(known.receipt) === digestsOf(receipt)) return known
    known?.release()
    const tell = (difference: string) =>
      log?.warn(notRun(receipt.name, difference), { file: folder, hint: reinstall(receipt) })
    const fresh = watchFiles(folder, receipt, records, log && tell)
    watches.set(folder, fresh)
    return fresh
  }

  function isTime(): boolean {
    const now = performance.now()
    if (now - scan.at > SCAN_PAUSE_MS) scan = { at: now, spentMs: 0 }
    return scan.spentMs < SCAN_MS
  }

  async function refusal(found: InstalledFolder, lockedAs: Locked): Promise<Problem | undefined> {
    const { folder, receipt, manifest } = found
    const refuse = (message: string, hint = reinstall(receipt)): Problem => ({
      file: folder,
      message,
      hint,
      tool: receipt.name,
    })
    const files = watch(found)
    const doubt = await doubtOf(found, records)
    if (doubt !== undefined) return refuse(`is not served: ${doubt}`)
    const locked = lockedAs(receipt)
    // A folder on someone's machine is whatever it was when it was installed there.
    if (locked !== undefined && locked.pin.kind !== 'directory' && locked.digest !== receipt.digest) {
      return refuse('is not served: it is not what orla.lock says')
    }
    if (
      locked !== undefined &&
      locked.pin.kind !== 'directory' &&
      locked.definition !== definitionHash(manifest)
    ) {
      const message = `is not served: version ${receipt.version} tells models something else (name, description, schemas or annotations) than when it was accepted`
      return refuse(
        message,
        `\`orla info ${receipt.name}\` shows what; \`orla trust definitions ${receipt.name}\` accepts it`,
      )
    }
    if (justInstalled.has(folder)) return undefined
    // A capsule may start without a call.
    if (!isTime() && manifest.runtime.mode !== 'capsule') return undefined
    const begun = performance.now()
    const difference = files.look()
    scan.spentMs += performance.now() - begun
    return difference === undefined
      ? undefined
      : refuse(`is not served: ${difference} since it was installed`)
  }

  return {
    guard({ file, root }, offered) {
      const global = join(home, 'orla.lock')
      const project = file === null ? global : join(root, 'orla.lock')
      return {
        forScan() {
          // Without a project, the .mcpkg packages of a folder have a lock beside them.
          const own = readLocks([project, join(root, '.mcp', 'orla.lock')])
          const everyones = readLocks([global])
          return (found) => refusal(found, found.scope === 'global' ? everyones : own)
        },
        withheld: (capsule) => offered.withheld(capsule),
      }
    },
    before({ name, origin }) {
      const files = origin.kind === 'package' ? watches.get(origin.folder) : undefined
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
      for (const [folder, files] of watches) if (!folders.has(folder)) files.release()
    },
    differenceIn: (folder) => watches.get(folder)?.look(),
    after({ origin }, ms) {
      if (origin.kind === 'package') watches.get(origin.folder)?.took(ms)
    },
  }
}

/**
 * Why a receipt is not believed; undefined when it is. One that this machine did not write may be of a project that
 * came with its packages. Then it is believed when it says of the manifest what the manifest says, and remembered; what
 * its files are, its digest decides.
 */
async function doubtOf(
  { folder, receipt }: InstalledFolder,
  records: InstallRecords,
): Promise<string | undefined> {
  const voucher = records.look(folder, receipt)
  if (voucher !== 'unknown') return DOUBTS[voucher]
  const { writtenManifest } = await import('./written-manifest.ts')
  const manifest = await writtenManifest(folder)
  if (manifest === undefined || JSON.stringify(manifest) !== JSON.stringify(receipt.manifest))
    return DOUBTS.other
  try {
    records.prepare(folder)(receipt, listingOf(folder, receipt))
  } catch {
    // A home that cannot be written, or files that cannot be read: it is asked again next time.
  }
  return undefined
}

/** What speaks against a receipt by what this machine remembers. */
export const DOUBTS: Readonly<Record<Voucher, string | undefined>> = {
  vouched: undefined,
  unknown: undefined,
  other: 'its receipt is not what was written when it was installed',
  hearsay: 'its hook has not run on this machine',
}

function notRun(name: string, difference: string): string {
  return `\`${name}\` is not run: ${difference} since it was installed`
}

/** The command that brings back what was installed. */
export function reinstall({ name, version, pin }: { name: string; version: string; pin: Pin }): string {
  return `\`orla install ${wordsFor(name, version, pin)}\` installs it again`
}

function wordsFor(name: string, version: string, pin: Pin): string {
  if (pin.kind === 'directory') return `--local ${pin.path}`
  if (pin.registry !== undefined) return `${name}@v${version}`
  if (pin.kind === 'git') return `${pin.url}#${pin.tag}`
  return /\.mcpkg$|^https?:/i.test(pin.from) ? pin.from : `--local ${pin.from}`
}

type Entries = ReadonlyMap<string, LockEntry>
/** What a lock says of the package. */
type Locked = (receipt: Receipt) => LockEntry | undefined

/** One that is damaged is told by the commands that need it; here it says nothing. */
function entriesOf(text: string | undefined, file: string): Entries {
  if (text === undefined) return new Map()
  try {
    return new Map(parseLock(text, file).packages.map((entry) => [`${entry.name} ${entry.version}`, entry]))
  } catch {
    return new Map()
  }
}

function readLockText(file: string): string | undefined {
  try {
    return readTextIfThere(file)
  } catch {
    return undefined
  }
}

function digestsOf({ digest, digest_after_hook }: Receipt): string {
  return `${digest} ${digest_after_hook ?? ''}`
}
