import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * When the default branch of a repository on this machine last moved, in milliseconds, as its files tell; undefined for
 * one that is elsewhere or is not understood. Cheap enough for every command.
 */
export function lastMove(url: string): number | undefined {
  const folder = localFolder(url)
  if (folder === undefined) return undefined
  for (const place of [join(folder, '.git'), folder]) {
    const head = readHead(place)
    if (head === undefined) continue
    const names = ['HEAD', head, 'packed-refs', 'reftable/tables.list']
    return Math.max(...names.map((name) => mtimeOf(join(place, name))))
  }
  return undefined
}

function localFolder(url: string): string | undefined {
  if (url.startsWith('/')) return url
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : undefined
  } catch {
    return undefined
  }
}

/** The branch it names; itself when it names none. */
function readHead(place: string): string | undefined {
  try {
    const text = readFileSync(join(place, 'HEAD'), 'utf8').trim()
    return /^ref: (refs\/\S+)$/.exec(text)?.[1] ?? 'HEAD'
  } catch {
    return undefined
  }
}

function mtimeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
