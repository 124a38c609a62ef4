import { type FSWatcher, watch } from 'node:fs'
import { burstsSoFar, countEvent } from './watch-burst.ts'

/** Folders in which nothing has happened since they began to be watched, as far as this process has heard. */
export interface QuietFolders {
  /** Once false it stays so. It speaks for what happened before `allHeard` was asked, after that has resolved. */
  areQuiet(): boolean
  close(): void
}

/** Half of what the system allows a user by default where that is least: others of this user watch too. */
const MOST = 4_096
let open = 0

/**
 * Watches what is directly in each of the folders; the watches do not keep the process alive. Undefined when the
 * system watches no more of them, or there are too many already.
 */
export function watchQuiet(folders: readonly string[]): QuietFolders | undefined {
  if (open + folders.length > MOST) return undefined
  const bursts = burstsSoFar()
  const watchers: FSWatcher[] = []
  let isQuiet = true
  const close = () => {
    isQuiet = false
    open -= watchers.length
    for (const watcher of watchers.splice(0)) watcher.close()
  }
  const heard = () => {
    countEvent()
    // Only later: as long as they are open the rest of a burst is counted.
    if (isQuiet) setImmediate(close)
    isQuiet = false
  }
  try {
    for (const folder of folders) {
      const watcher = watch(folder, { persistent: false })
      watchers.push(watcher)
      open++
      watcher.on('change', heard)
      watcher.on('error', heard)
    }
  } catch {
    close()
    return undefined
  }
  return { areQuiet: () => isQuiet && bursts === burstsSoFar(), close }
}

let hearing: Promise<void> | undefined

/**
 * Resolves when everything that happened before this was called has been told. A request that was sent after a change
 * may be read before that is told: both may be ready at once in either order, and a request may be read along with one
 * that came earlier. The event loop asks the system anew between the two turns, and then all of it is there.
 */
export function allHeard(): Promise<void> {
  hearing ??= new Promise((resolve) => {
    setImmediate(() => {
      hearing = undefined
      setImmediate(resolve)
    })
  })
  return hearing
}
