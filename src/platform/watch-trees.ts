import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { OrlaError } from '../model/index.ts'
import { isIgnored } from './ignored.ts'
import { watchDirectories } from './watch.ts'

export interface TreeWatchOptions {
  /** Called once for a burst, with one of the files that changed. */
  readonly onChange: (file: string) => void
  readonly onError: (error: OrlaError) => void
  /** Quiet that ends a burst. */
  readonly debounceMs: number
}

export interface TreeWatcher {
  /** What is there now counts as known: changes are told from here on. */
  look(): void
  close(): void
}

/** A checkout of a large tree is one burst, but one that never ends must be told at some point. */
const LONGEST_BURST_MS = 10_000

/** Watches files, and folders with all that is in them except hidden files, caches and editor backups. */
export function watchTrees(paths: readonly string[], options: TreeWatchOptions): TreeWatcher {
  const { onChange, onError, debounceMs } = options
  let known: Trees = { folders: [], single: [], files: new Map() }
  const burst = createBurst(debounceMs, () => {
    const before = known.files
    look()
    const file = difference(before, known.files)
    if (file !== undefined) onChange(file)
  })
  const watcher = watchDirectories({
    onChange: () => burst.goesOn(),
    onError,
    debounceMs: 0,
    maxWaitMs: 0,
  })

  function look(): void {
    known = walk(paths)
    watcher.update(known.folders, known.single)
  }
  look()
  return {
    look,
    close() {
      burst.close()
      watcher.close()
    },
  }
}

/**
 * Calls when nothing has come for a while. An event loop that was blocked sees the timer before the events that
 * came earlier: they get a turn to be heard before the burst counts as over.
 */
function createBurst(quietMs: number, onEnd: () => void) {
  let began: number | undefined
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  function close(): void {
    clearTimeout(timer)
    clearImmediate(turn)
  }
  function end(): void {
    began = undefined
    onEnd()
  }
  return {
    close,
    goesOn(): void {
      close()
      began ??= performance.now()
      const leftMs = Math.max(LONGEST_BURST_MS, quietMs) - (performance.now() - began)
      const listenOnce = () => {
        turn = setImmediate(() => {
          timer = setTimeout(end, HEARING_MS).unref()
        })
      }
      timer = setTimeout(listenOnce, Math.max(0, Math.min(quietMs, leftMs))).unref()
    },
  }
}

/** Longer than the shortest timer, by which the events of the folders come. */
const HEARING_MS = 5

interface Trees {
  readonly folders: readonly string[]
  /** Paths that were named and are no folders, or are not there yet. */
  readonly single: readonly string[]
  /** What each file looks like from outside. */
  readonly files: ReadonlyMap<string, string>
}

function walk(paths: readonly string[]): Trees {
  const trees = { folders: [] as string[], single: [] as string[], files: new Map<string, string>() }
  const enter = (folder: string): void => {
    trees.folders.push(folder)
    for (const entry of entriesOf(folder)) {
      if (isIgnored(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) enter(path)
      else note(path)
    }
  }
  const note = (path: string): void => {
    const stats = statsOf(path)
    if (stats !== undefined) trees.files.set(path, looks(stats))
  }
  for (const path of paths) {
    if (statsOf(path)?.isDirectory()) enter(path)
    else {
      trees.single.push(path)
      note(path)
    }
  }
  return trees
}

/** A file that came, changed or went. */
function difference(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string | undefined {
  for (const [path, look] of after) if (before.get(path) !== look) return path
  for (const path of before.keys()) if (!after.has(path)) return path
  return undefined
}

function looks({ ino, size, mtimeMs, mode }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${mode}`
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
