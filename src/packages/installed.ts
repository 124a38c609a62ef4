import { join } from 'node:path'
import { parseReceipt } from '../formats/index.ts'
import { type Manifest, OrlaError, type Receipt } from '../model/index.ts'
import { isFolder, isLink, listFolder, readTextIfThere } from '../platform/index.ts'
import { digestOf } from './check.ts'

export const RECEIPT = '.orla-receipt.json'

/** One version of a package as it lies in NAME/VERSION. */
export interface InstalledVersion {
  readonly name: string
  readonly version: string
  readonly folder: string
  /** Absent when the folder was placed by hand or is linked. */
  readonly receipt?: Receipt
  readonly linked: boolean
}

/** The versions of a package below a tools folder. */
export function installedVersions(toolsDir: string, name: string): InstalledVersion[] {
  return listFolder(join(toolsDir, name))
    .filter((version) => !version.startsWith('.') && isFolder(join(toolsDir, name, version)))
    .map((version) => {
      const folder = join(toolsDir, name, version)
      const linked = isLink(folder)
      const receipt = linked ? undefined : readReceipt(folder)
      return { name, version, folder, linked, ...(receipt === undefined ? {} : { receipt }) }
    })
}

/** Whether the files that were installed are still as they were. */
export function isIntact(
  { folder, receipt }: InstalledVersion,
  manifest: Manifest,
  paths: readonly string[],
): boolean {
  try {
    const digest = digestOf(folder, manifest, paths)
    return receipt !== undefined && digest === (receipt.digest_after_hook ?? receipt.digest)
  } catch (error) {
    if (error instanceof OrlaError) return false // something that cannot be read is in their place
    throw error
  }
}

function readReceipt(folder: string): Receipt | undefined {
  const text = readTextIfThere(join(folder, RECEIPT))
  return text === undefined ? undefined : parseReceipt(text)
}
