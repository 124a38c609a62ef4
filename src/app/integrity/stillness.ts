import { isWatchable, type QuietFolders, type TreeStamp, watchQuiet } from '../../platform/index.ts'

/** Whether anything has happened to the files of one package since they were found to be as a stamp says. */
export interface Stillness {
  /**
   * Watches the folders of the stamp from here on; the look at all files has to come after it. False when what watches
   * tell is not enough here, or the system allows no more of them.
   */
  begin(stamp: TreeStamp): boolean
  /** Whether it was begun with this stamp, and nothing was heard since. */
  lasts(stamp: TreeStamp): boolean
  /** Puts off giving the watches back. */
  use(): void
  /** Whether it was begun and something has been heard. */
  isBroken(): boolean
  end(): void
}

/** When the system did not watch, it is not asked again at every call. */
const AGAIN_AFTER_MS = 60_000
/** Watches are few and for all programs of a user: whoever is not called gives them back. */
const IDLE_MS = 5 * 60_000

export function createStillness(folder: string): Stillness {
  let watched: { readonly of: TreeStamp; readonly folders: QuietFolders } | undefined
  /** Hard links and file systems stay what they are as long as the stamp does. */
  let judged: { readonly of: TreeStamp; readonly isWatchable: boolean } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let idle: NodeJS.Timeout | undefined

  function end(): void {
    clearTimeout(idle)
    watched?.folders.close()
    watched = undefined
  }

  return {
    begin(stamp) {
      if (performance.now() - triedAt < AGAIN_AFTER_MS) return false
      if (judged?.of !== stamp) judged = { of: stamp, isWatchable: isWatchable(folder, stamp) }
      if (!judged.isWatchable) {
        end()
        return false
      }
      const before = watched?.folders
      const paths = stamp.paths.slice(0, stamp.folders).map((path) => `${folder}/${path}`)
      const folders = watchQuiet(paths)
      before?.close()
      if (folders === undefined) {
        triedAt = performance.now()
        end()
        return false
      }
      watched = { of: stamp, folders }
      clearTimeout(idle)
      idle = setTimeout(end, IDLE_MS).unref()
      return true
    },
    lasts: (stamp) => watched?.of === stamp && watched.folders.areQuiet(),
    use() {
      if (watched !== undefined) idle?.refresh()
    },
    isBroken: () => watched !== undefined && !watched.folders.areQuiet(),
    end,
  }
}
