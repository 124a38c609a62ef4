import { statSync } from 'node:fs'

/** A folder on the way of a scan. */
export interface Folder {
  readonly path: string
  /** What stands before the names in it: nothing in the root, else its relative path and a slash. */
  readonly prefix: string
  readonly parent: Folder | undefined
  readonly depth: number
  readonly isLink: boolean
  /** A link led here, or to a folder above: it may have been searched already. */
  readonly isBelowLink: boolean
  /** What the system knows it by, once someone asked. */
  identity: string | undefined
}

export function folderAt(path: string, prefix: string, isLink: boolean, parent?: Folder): Folder {
  const isBelowLink = isLink || parent?.isBelowLink === true
  const depth = parent === undefined ? 0 : parent.depth + 1
  return { path, prefix, parent, depth, isLink, isBelowLink, identity: undefined }
}

/** Whether it is one of the folders above it, which takes a link. */
export function isInItself(folder: Folder): boolean {
  if (!folder.isBelowLink) return false
  const identity = identityOf(folder)
  for (let above = folder.parent; above !== undefined; above = above.parent) {
    if (identityOf(above) === identity) return true
  }
  return false
}

/** Tells which folders have not been searched yet. As long as no link was followed, all of them. */
export function createVisits(): (folder: Folder) => boolean {
  const searched: Folder[] = []
  const identities = new Set<string>()
  return (folder) => {
    if (!folder.isBelowLink) {
      searched.push(folder)
      return true
    }
    for (const one of searched.splice(0)) identities.add(identityOf(one))
    const before = identities.size
    return identities.add(identityOf(folder)).size > before
  }
}

function identityOf(folder: Folder): string {
  folder.identity ??= askFor(folder.path)
  return folder.identity
}

function askFor(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? path : `${stats.dev}:${stats.ino}`
  } catch {
    return path // it cannot be searched either
  }
}
