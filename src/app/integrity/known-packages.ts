import { join } from 'node:path'
import { isJsonObject, type JsonObject, type Receipt, sha256 } from '../../model/index.ts'
import {
  isFolder,
  readPrivateFile,
  readStamp,
  type TreeStamp,
  writePrivateFile,
} from '../../platform/index.ts'

/** What was found when a package was as it was installed. As long as the stamp holds, so does the rest. */
export interface KnownPackage {
  /** Of its content and its receipt. */
  readonly files: TreeStamp
  /** For which the record of its install spoke, */
  readonly receipt: Receipt
  /** and locks that had this mark. */
  readonly locks: string
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
    const there = shelves.get(root)
    if (there !== undefined) return there
    const file = join(home, 'cache', 'known', `${sha256(root).slice(0, 32)}.json`)
    const shelf = { file, written: readShelf(file), known: new Map<string, KnownPackage>(), hasNew: false }
    shelves.set(root, shelf)
    return shelf
  }

  /** The same object as long as nothing else is kept of it. */
  function of(folder: string): KnownPackage | undefined {
    const { known, written } = shelfOf(folder)
    const one = known.get(folder) ?? readKnown(written[folder])
    if (one !== undefined) known.set(folder, one)
    return one
  }

  return {
    of,
    keep(folder, one) {
      if (JSON.stringify(one) === JSON.stringify(of(folder))) return
      const shelf = shelfOf(folder)
      shelf.known.set(folder, one)
      shelf.hasNew = true
    },
    flush() {
      for (const shelf of shelves.values()) {
        if (!shelf.hasNew) continue
        shelf.hasNew = false
        // Another process may have written meanwhile, and packages may have gone.
        const all = { ...readShelf(shelf.file), ...Object.fromEntries(shelf.known) }
        const packages = Object.fromEntries(Object.entries(all).filter(([folder]) => isFolder(folder)))
        writePrivateFile(shelf.file, Buffer.from(JSON.stringify({ v: VERSION, packages })))
      }
    },
  }
}

interface Shelf {
  readonly file: string
  /** What the file said. */
  readonly written: JsonObject
  readonly known: Map<string, KnownPackage>
  hasNew: boolean
}

const LARGEST = 64 * 1_048_576
const VERSION = 1

function readShelf(file: string): JsonObject {
  const bytes = readPrivateFile(file, LARGEST)
  try {
    const value: unknown = bytes && JSON.parse(textOf(bytes))
    return isJsonObject(value) && value.v === VERSION && isJsonObject(value.packages) ? value.packages : {}
  } catch {
    return {} // torn by a crash: it is found out anew
  }
}

/** Without a copy. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}

/** It was checked before it was kept, and nobody else could have written it: a look at the shape is for our own sake. */
function readKnown(value: unknown): KnownPackage | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.receipt)) return undefined
  const { locks, line } = value
  const files = readStamp(value.files)
  if (typeof locks !== 'string' || typeof line !== 'string' || files === undefined) return undefined
  return { files, receipt: value.receipt as unknown as Receipt, locks, line } // see above
}
