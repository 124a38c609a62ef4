import { join } from 'node:path'
import { isToolId, parseReceipt, parseTag } from '../formats/index.ts'
import { isJsonObject, OrlaError, RECEIPT, type Receipt, sha256 } from '../model/index.ts'
import { isFolder, isLink, listFolder, readTextIfThere } from '../platform/index.ts'
import { installedListing } from './check.ts'

/** One version of a package as it lies in its folder. */
export interface InstalledVersion {
  readonly name: string
  readonly version: string
  readonly folder: string
  /** Absent when the folder was placed by hand or is linked. */
  readonly receipt?: Receipt
  readonly linked: boolean
}

/** The versions of a package: NAME/VERSION below a tools folder. An .mcpkg has its own folder, and its own order in it. */
export function installedVersions(root: string, name: string): InstalledVersion[] {
  if (!isToolId(name)) return versionsIn(join(root, name), name)
  const folder = join(root, 'tools', name)
  const current = isFolder(folder) ? look(folder, name, undefined) : undefined
  const others = versionsIn(join(root, 'store', name), name)
  // An install that was ended in the middle may have left a copy of what is still the current one.
  return current === undefined
    ? others
    : [current, ...others.filter(({ version }) => version !== current.version)]
}

function versionsIn(shelf: string, name: string): InstalledVersion[] {
  return listFolder(shelf)
    .filter((version) => !version.startsWith('.') && isFolder(join(shelf, version)))
    .map((version) => look(join(shelf, version), name, version))
}

function look(folder: string, name: string, version: string | undefined): InstalledVersion {
  const linked = isLink(folder)
  const receipt = linked ? undefined : readReceipt(folder)
  return {
    name,
    version: version ?? receipt?.version ?? writtenVersion(folder),
    folder,
    linked,
    ...(receipt === undefined ? {} : { receipt }),
  }
}

/** Of a manifest.json that someone put there; whether it is a good one is for others to say. */
function writtenVersion(folder: string): string {
  try {
    const manifest: unknown = JSON.parse(readTextIfThere(join(folder, 'manifest.json')) ?? '')
    const version = isJsonObject(manifest) ? manifest.version : undefined
    // It becomes the name of a folder.
    return typeof version === 'string' && parseTag(`v${version}`) !== null ? version : UNKNOWN
  } catch {
    return UNKNOWN
  }
}

const UNKNOWN = '0.0.0'

/** Whether everything that was installed is still as it was, and nothing else is there. */
export function isIntact({ folder, receipt, name, version }: InstalledVersion): boolean {
  if (receipt === undefined) return false
  try {
    const listing = installedListing(folder, name, version)
    return sha256(listing) === (receipt.digest_after_hook ?? receipt.digest)
  } catch (error) {
    if (error instanceof OrlaError) return false // something that cannot be read is in their place
    throw error
  }
}

function readReceipt(folder: string): Receipt | undefined {
  const text = readTextIfThere(join(folder, RECEIPT))
  return text === undefined ? undefined : parseReceipt(text)
}
