import { join } from 'node:path'
import type { Problem } from '../model/index.ts'
import { isFolder, isLink, listFolder, type ScannedPackage, sweepStaging } from '../platform/index.ts'

/** Where the .mcpkg packages of a project lie: the current ones in tools/ID, earlier ones in store/ID/VERSION. */
export interface McpkgFolders {
  readonly packages: readonly ScannedPackage[]
  /** Folders whose entries decided the result, */
  readonly directories: readonly string[]
  /** and those that are not there yet. */
  readonly expected: readonly string[]
  readonly problems: readonly Problem[]
}

export function findMcpkgFolders(mcpDir: string): McpkgFolders {
  const [tools, store] = [join(mcpDir, 'tools'), join(mcpDir, 'store')]
  if (!isFolder(mcpDir)) return { packages: [], directories: [], expected: [tools, store], problems: [] }
  const problems: Problem[] = []
  // An install that was killed in the middle of a replacement left the old version aside: it is put back first.
  unlessClosed(mcpDir, () => sweepStaging(mcpDir))
  const shelves = foldersIn(store)
  const folders = [...foldersIn(tools), ...shelves.flatMap(foldersIn)]
  const roots = [tools, store].filter(isFolder)
  return {
    packages: folders.flatMap((path) => {
      const names = unlessClosed(path, () => listFolder(path))
      return names === undefined ? [] : [{ path, isLink: isLink(path), names }]
    }),
    directories: [...roots, ...shelves, ...folders],
    expected: [tools, store].filter((root) => !roots.includes(root)),
    problems,
  }

  function foldersIn(folder: string): string[] {
    return (unlessClosed(folder, () => listFolder(folder)) ?? [])
      .filter((name) => !name.startsWith('.'))
      .map((name) => join(folder, name))
      .filter(isFolder)
      .sort()
  }

  /** One folder that cannot be read hides no other. */
  function unlessClosed<T>(folder: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      problems.push({ file: folder, message: `cannot be read: ${(error as Error).message}` })
      return undefined
    }
  }
}
