import { join } from 'node:path'
import { formatReceipt, parseReceipt } from '../../formats/index.ts'
import { isJsonObject, RECEIPT, type Receipt, sha256 } from '../../model/index.ts'
import type { InstallMemory } from '../../packages/index.ts'
import {
  makeFolder,
  readPrivateFile,
  readStamp,
  readTextIfThere,
  type TreeStamp,
  writeFileAtomic,
  writePrivateFile,
} from '../../platform/index.ts'

/**
 * Whether a receipt is the one that was written by an install on this machine. `hearsay`: nothing is known of it, and it
 * says what a hook made of the package; what was accepted is the content before, so only who saw the hook run can know.
 */
export type Voucher = 'vouched' | 'other' | 'unknown' | 'hearsay'

/** What Orla knows of installed packages where they cannot write: in its own folder. */
export interface InstallRecords extends InstallMemory {
  look(folder: string, receipt: Receipt): Voucher
  /** What was there when it was installed last. */
  listingOf(folder: string): string | undefined
  /** What the system said of the files when they were found to have this digest. */
  stampOf(folder: string, digest: string): TreeStamp | undefined
  keepStamp(folder: string, digest: string, stamp: TreeStamp): void
}

export function openRecords(home: string): InstallRecords {
  const [state, cache] = [join(home, 'state', 'installed'), join(home, 'cache', 'integrity')]
  const fileIn = (place: string, folder: string, ending = 'json') =>
    join(place, `${sha256(folder).slice(0, 32)}.${ending}`)

  /** Of the last install in that folder, and of what was there before it. */
  function receiptsOf(folder: string): unknown[] {
    const record = readJson(fileIn(state, folder), LARGEST)
    const isRecord = isJsonObject(record) && record.folder === folder && Array.isArray(record.receipts)
    return isRecord ? (record.receipts as unknown[]) : [] // an array, see above
  }

  function look(folder: string, receipt: Receipt): Voucher {
    const receipts = receiptsOf(folder)
    if (receipts.length === 0) return receipt.digest_after_hook === undefined ? 'unknown' : 'hearsay'
    return receipts.includes(sha256(formatReceipt(receipt))) ? 'vouched' : 'other'
  }

  function listingOf(folder: string): string | undefined {
    const bytes = readPrivateFile(fileIn(state, folder, 'listing'), LARGEST)
    return bytes && Buffer.from(bytes).toString()
  }

  return {
    look,
    vouches: (folder, receipt) => look(folder, receipt) === 'vouched',
    prepare(folder) {
      const there = parseReceipt(readTextIfThere(join(folder, RECEIPT)) ?? '')
      const isKept = there !== undefined && ['vouched', 'unknown'].includes(look(folder, there))
      const kept = isKept ? [sha256(formatReceipt(there))] : []
      return (receipt, listing) => {
        const { name, version } = receipt
        makeFolder(state, 0o700)
        const receipts = [...new Set([sha256(formatReceipt(receipt)), ...kept])]
        const record = { v: 1, folder, name, version, receipts }
        // It only helps to say what changed, and is judged by its digest: it need not outlive a crash.
        if (listingOf(folder) !== listing) {
          writePrivateFile(fileIn(state, folder, 'listing'), Buffer.from(listing))
        }
        writeFileAtomic(fileIn(state, folder), `${JSON.stringify(record)}\n`, 0o600)
      }
    },
    listingOf,
    stampOf(folder, digest) {
      const kept = readJson(fileIn(cache, folder), LARGEST)
      return isJsonObject(kept) && kept.digest === digest ? readStamp(kept.stamp) : undefined
    },
    keepStamp(folder, digest, stamp) {
      writePrivateFile(fileIn(cache, folder), Buffer.from(JSON.stringify({ digest, stamp })))
    },
  }
}

const LARGEST = 64 * 1_048_576

/** Only what this user wrote and nobody else could have. */
function readJson(file: string, largest: number): unknown {
  const bytes = readPrivateFile(file, largest)
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}
