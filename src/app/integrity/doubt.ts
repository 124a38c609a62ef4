import type { InstalledFolder } from '../../catalog/index.ts'
import { listingOf } from './file-watch.ts'
import type { InstallRecords, Voucher } from './records.ts'

/**
 * Why a receipt is not believed; undefined when it is. One that this machine did not write may be of a project that
 * came with its packages. Then it is believed when it says of the manifest what the manifest says, and remembered; what
 * its files are, its digest decides.
 */
export async function doubtOf(
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
