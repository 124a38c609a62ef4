import { isWatchable, type QuietFolders, type TreeStamp, watchQuiet } from '../../platform/index.ts'

/** Whether anything has happened to the files of one package since they were found to be as a stamp says. */
export interface PackageQuiet {
  /**
   * Watches the folders of the stamp from here on; the look at all files has to come after it. False when what watches
   * tell is not enough here, or the system allows no more of them.
   */
  begin(stamp: TreeStamp): boolean
  /** Not for a while after the system said no. */
  isAllowed(): boolean
  /** Whether it was begun with this stamp, and nothing was heard since. */
  lasts(stamp: TreeStamp): boolean
  /** Puts off giving the watches back. */
  use(): void
  /** Whether it was begun and something has been heard. */
  isBroken(): boolean
  end(): void
}

/** What could not be watched is not tried again at every call. */
const AGAIN_AFTER_MS = 60_000
/** Watches are few and for all programs of a user: whoever is not called gives them back. */
const IDLE_MS = 5 * 60_000

export function createPackageQuiet(folder: string): PackageQuiet {
  let watched: { readonly of: TreeStamp; readonly folders: QuietFolders } | undefined
  /** Of this stamp files have no second name, which they cannot get without changing it. */
  let judged: TreeStamp | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let idle: NodeJS.Timeout | undefined

  function end(): void {
    clearTimeout(idle)
    watched?.folders.close()
    watched = undefined
  }

  const isAllowed = () => performance.now() - triedAt >= AGAIN_AFTER_MS

  return {
    isAllowed,
    begin(stamp) {
      if (!isAllowed()) return false
      const isWorthIt = judged === stamp || isWatchable(folder, stamp)
      const paths = stamp.paths.slice(0, stamp.folders).map((path) => `${folder}/${path}`)
      const folders = isWorthIt ? watchQuiet(paths) : undefined
      end()
      if (folders === undefined) {
        triedAt = performance.now()
        return false
      }
      judged = stamp
      watched = { of: stamp, folders }
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
