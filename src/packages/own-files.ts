import { join } from 'node:path'
import { RECEIPT } from '../model/index.ts'
import { isFolder, isLink, removeFile } from '../platform/index.ts'

/**
 * What Orla writes beside a package cannot come with one: it is in no listing, so no digest and no signature speaks of
 * it, and a program could be made to read it.
 */
export function dropOwnFiles(folder: string): void {
  for (const name of [RECEIPT, 'metadata.json']) {
    const path = join(folder, name)
    // What is in a folder of such a name is listed.
    if (isLink(path) || !isFolder(path)) removeFile(path)
  }
}
