import { changedPaths, type TreeStamp } from '../../platform/index.ts'

/** So many paths are looked at in a row: about a tenth of a millisecond. */
const SLICE = 48

/**
 * Looks at everything of a stamp while nobody waits, a little in each turn of the event loop, which other calls share.
 * Begins with the next turn, when the answer of the call that was is on its way, unless `begin` says no. Says whether all
 * is as it was; nothing once it is stopped.
 */
export function lookAfterwards(
  folder: string,
  stamp: TreeStamp,
  begin: () => boolean,
  onLooked: (isSame: boolean) => void,
): () => void {
  let at = 0
  let turn = setImmediate(() => {
    if (begin()) next()
  })

  function next(): void {
    const places = Array.from({ length: Math.min(SLICE, stamp.paths.length - at) }, (_, step) => at + step)
    at += SLICE
    if (changedPaths(folder, stamp, places).length > 0) onLooked(false)
    else if (at >= stamp.paths.length) onLooked(true)
    else turn = setImmediate(next)
  }
  return () => clearImmediate(turn)
}
