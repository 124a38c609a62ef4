import { join } from 'node:path'
import { isJsonObject, type JsonObject, sha256 } from '../../model/index.ts'
import {
  isFolder,
  readPrivateFile,
  readStamp,
  type TreeStamp,
  writePrivateFile,
} from '../../platform/index.ts'

/** What was found when a package was as it was installed. As long as the stamps hold, so does the rest. */
export interface KnownPackage {
  /** For its receipt the record of its install spoke, */
  readonly receipt: TreeStamp
  /** and locks that had this mark. */
  readonly locks: string
  readonly files: TreeStamp
  /** The first line of its entrypoint. */
  readonly line: string
}

/** Packages of few files, for the next process: one file for each folder of packages, where each package had several. */
export interface KnownPackages {
  of(folder: string): KnownPackage | undefined
  keep(folder: string, known: KnownPackage): void
  /** Writes what is new. */
  flush(): void
}

/** Of more files it takes longer to ask about each than to read a manifest. */
export const FEW_PATHS = 16

export function openKnownPackages(home: string): KnownPackages {
  const shelves = new Map<string, Shelf>()

  function shelfOf(folder: string): Shelf {
    const root = folder.slice(0, folder.lastIndexOf('/', folder.lastIndexOf('/') - 1))
    const known = shelves.get(root)
    if (known !== undefined) return known
    const file = join(home, 'cache', 'known', `${sha256(root).slice(0, 32)}.json`)
    const shelf = { file, packages: readShelf(file), fresh: new Map<string, KnownPackage>() }
    shelves.set(root, shelf)
    return shelf
  }

  function of(folder: string): KnownPackage | undefined {
    const { packages, fresh } = shelfOf(folder)
    return fresh.get(folder) ?? readKnown(packages[folder])
  }

  return {
    of,
    keep(folder, known) {
      if (JSON.stringify(known) !== JSON.stringify(of(folder))) shelfOf(folder).fresh.set(folder, known)
    },
    flush() {
      for (const shelf of shelves.values()) {
        if (shelf.fresh.size === 0) continue
        // Another process may have written meanwhile, and packages may have gone.
        const all = { ...readShelf(shelf.file), ...Object.fromEntries(shelf.fresh) }
        shelf.packages = Object.fromEntries(Object.entries(all).filter(([folder]) => isFolder(folder)))
        shelf.fresh.clear()
        writePrivateFile(shelf.file, Buffer.from(JSON.stringify({ v: VERSION, packages: shelf.packages })))
      }
    },
  }
}

interface Shelf {
  readonly file: string
  packages: Readonly<Record<string, unknown>>
  readonly fresh: Map<string, KnownPackage>
}

const LARGEST = 64 * 1_048_576
const VERSION = 1

function readShelf(file: string): JsonObject {
  const bytes = readPrivateFile(file, LARGEST)
  try {
    const value: unknown = bytes && JSON.parse(Buffer.from(bytes).toString())
    return isJsonObject(value) && value.v === VERSION && isJsonObject(value.packages) ? value.packages : {}
  } catch {
    return {} // torn by a crash: it is found out anew
  }
}

function readKnown(value: unknown): KnownPackage | undefined {
  if (!isJsonObject(value)) return undefined
  const { locks, line } = value
  if (typeof locks !== 'string' || typeof line !== 'string') return undefined
  const [receipt, files] = [readStamp(value.receipt), readStamp(value.files)]
  return receipt && files && { receipt, locks, files, line }
}
