import { sep } from 'node:path'

/** The innermost path that says something about this one. */
export function covering<T extends { readonly path: string }>(
  paths: readonly T[],
  path: string,
): T | undefined {
  let found: T | undefined
  for (const candidate of paths) {
    if (!isWithin(path, candidate.path)) continue
    if (found === undefined || candidate.path.length >= found.path.length) found = candidate
  }
  return found
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep)
}
