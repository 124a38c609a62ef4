import { type FSWatcher, type Stats, watch } from 'node:fs'
import { basename } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { isIgnored } from './ignored.ts'
import { countEvent } from './watch-burst.ts'
import { type Interest, planWatches } from './watch-plan.ts'

export interface WatchOptions {
  /** Something may have changed. Called once for a burst of changes. */
  readonly onChange: () => void
  /** The system refused to watch more. Called once, until everything could be watched again. */
  readonly onError: (error: OrlaError) => void
  /** Quiet that ends a burst. */
  readonly debounceMs?: number
  /** A burst that does not end is reported after this. */
  readonly maxWaitMs?: number
}

export interface DirectoryWatcher {
  /**
   * Watches the entries of these folders (not what is below them) and these files, and nothing else
   * any more. What is not there yet is noticed when it appears.
   */
  update(directories: readonly string[], files?: readonly string[]): void
  close(): void
}

interface Watched {
  readonly watcher: FSWatcher
  readonly identity: string
  interest: Interest
  /** The folder itself was moved or deleted; what is there now is another one. */
  stale: boolean
}

/** Beside the manifest of a package, written while it serves; no part of it. */
const METADATA = 'metadata.json'

// A folder that changed this shortly before it is watched may have changed after the caller looked.
const RECENT_MS = 2_000

/**
 * One watch for each folder, none for files: a file replaced by its editor keeps being noticed. The
 * watches do not keep the process alive.
 */
export function watchDirectories(options: WatchOptions): DirectoryWatcher {
  const { onChange, onError, debounceMs = 100, maxWaitMs = 500 } = options
  const watched = new Map<string, Watched>()
  let timer: NodeJS.Timeout | undefined
  let burstBegan = 0
  let closed = false
  let refused = false

  return {
    update(directories, files = []) {
      if (closed) return
      const interests = planWatches(directories, files)
      for (const [folder, { watcher }] of watched) {
        if (interests.has(folder)) continue
        watcher.close()
        watched.delete(folder)
      }
      let failure: unknown
      for (const [folder, interest] of interests) failure = attempt(folder, interest) ?? failure
      if (failure !== undefined && !refused) onError(explain(failure))
      refused = failure !== undefined
    },
    close() {
      closed = true
      clearTimeout(timer)
      for (const { watcher } of watched.values()) watcher.close()
      watched.clear()
    },
  }

  /** Gives the error when the system refuses. */
  function attempt(folder: string, interest: Interest): unknown {
    const identity = identityOf(interest.stats)
    const before = watched.get(folder)
    if (before && !before.stale && before.identity === identity) {
      before.interest = interest
      return undefined
    }
    before?.watcher.close()
    watched.delete(folder)
    try {
      arm(folder, identity, interest)
    } catch (error) {
      // Gone or closed to us: the folder above tells when that changes.
      return ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(codeOf(error)) ? undefined : error
    }
    const { mtimeMs, ctimeMs } = interest.stats
    if (interest.all && Math.max(mtimeMs, ctimeMs) > Date.now() - RECENT_MS) changed()
    return undefined
  }

  function arm(folder: string, identity: string, interest: Interest): void {
    const watcher = watch(folder, { persistent: false })
    const entry: Watched = { watcher, identity, interest, stale: false }
    watched.set(folder, entry)
    watcher.on('change', (event, name) => {
      countEvent()
      if (closed) return
      const text = name === null ? null : String(name)
      const { all, names } = entry.interest
      // Its own removal or renaming comes under the folder's own name.
      if (event === 'rename' && (text === null || text === basename(folder))) {
        entry.stale = true
        changed()
      } else if (text === null || names.has(text) || (all && !isIgnored(text) && text !== METADATA)) changed()
    })
    watcher.on('error', () => {
      entry.stale = true
      changed()
    })
  }

  function changed(): void {
    const now = performance.now()
    if (timer === undefined) burstBegan = now
    clearTimeout(timer)
    const wait = Math.min(debounceMs, Math.max(0, burstBegan + maxWaitMs - now))
    timer = setTimeout(() => {
      timer = undefined
      onChange()
    }, wait)
    timer.unref()
  }
}

/** File systems give the number of a deleted folder to a new one, but not its birth. */
function identityOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function explain(cause: unknown): OrlaError {
  const isLimit = ['ENOSPC', 'EMFILE', 'ENFILE'].includes(codeOf(cause))
  const why = isLimit ? 'the system allows no more watches' : `the system does not watch (${String(cause)})`
  return new OrlaError('E_FILE', `${why}: changes in some folders go unnoticed`, {
    hint: `after a change run \`orla reload\` or send SIGHUP${isLimit ? ', or raise fs.inotify.max_user_watches' : ''}`,
    cause,
  })
}
