import { lstatSync, statSync } from 'node:fs'
export type LookAt = (paths: Uint8Array, into: Float64Array) => number
export const STAMP_NUMBERS = 6
export function openLooker(_folder: string): LookAt {
  return (paths, into) => {
    let at = 0, n = 0
    const all = Buffer.from(paths.buffer, paths.byteOffset, paths.length)
    while (at < all.length) {
      const end = all.indexOf(0, at)
      const look = all[at] === 108 ? lstatSync : statSync
      const s = look(all.toString('utf8', at + 1, end), { throwIfNoEntry: false })
      if (s) into.set([s.mtimeMs, s.ctimeMs, s.size, s.ino, s.mode, s.dev], n * 6)
      n++
      at = end + 1
    }
    return n
  }
}
