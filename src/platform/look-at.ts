import { lstatSync, statSync } from 'node:fs'
import { type Looker, loadLooker, lookerFile } from './looker.ts'

/** What `lookAt` tells of each entry: mtimeMs, ctimeMs, size, ino, mode, dev. */
export const LOOK_NUMBERS = 6

const FOLLOW = 'f'.charCodeAt(0)
const OWN = 'l'.charCodeAt(0)
const QUIETLY = { throwIfNoEntry: false } as const
/** For fewer bytes of paths, Node has looked before the library is loaded. */
const FEW_BYTES = 1_500

export type LookAt = (paths: Uint8Array, into: Float64Array) => number

let programFolder: string | undefined
let looker: Looker | undefined

/** Where the program lies, and with it the library. Until this is told, files are looked at with Node. */
export function lookFrom(folder: string): void {
  programFolder = folder
}

/**
 * What lstat or stat tell of many files, as their numbers, and how many these are. Each entry in `paths` is one byte,
 * `l` for a link itself or `f` for what it leads to, the bytes of the path, and NUL. What is not there is all zeros;
 * what cannot be looked at has minus the system's error number for its mode, else zeros.
 */
export function lookAt(paths: Uint8Array, into: Float64Array): number {
  if (programFolder !== undefined && paths.length >= FEW_BYTES) {
    looker = lookerIn(programFolder)
    programFolder = undefined
  }
  return looker === undefined ? lookWithNode(paths, into) : looker.lookAt(paths, into, 0)
}

/** Whether many are looked at in less time than one by one. */
export function looksNatively(): boolean {
  return programFolder !== undefined || looker !== undefined
}

function lookerIn(folder: string): Looker | undefined {
  const file = lookerFile(folder)
  if (file === undefined) return undefined
  try {
    return loadLooker(file)
  } catch {
    // For another machine, torn, not allowed: Node sees the same. `orla doctor` tells.
    return undefined
  }
}

/** The same without the library. */
export function lookWithNode(paths: Uint8Array, into: Float64Array): number {
  const bytes = Buffer.from(paths.buffer, paths.byteOffset, paths.length)
  let count = 0
  for (let from = 0; from < bytes.length; count++) {
    const flag = bytes[from]
    const end = bytes.indexOf(0, from)
    if ((flag !== OWN && flag !== FOLLOW) || end < 0)
      throw new TypeError('paths: not entries of l or f, a path and NUL')
    if (into.length < (count + 1) * LOOK_NUMBERS) throw new TypeError('into: too small for the paths')
    lookAtOne(bytes.subarray(from + 1, end), flag === FOLLOW, into, count * LOOK_NUMBERS)
    from = end + 1
  }
  return count
}

function lookAtOne(path: Buffer, follows: boolean, into: Float64Array, at: number): void {
  into.fill(0, at, at + LOOK_NUMBERS)
  try {
    const stats = follows ? statSync(path, QUIETLY) : lstatSync(path, QUIETLY)
    if (stats === undefined) return
    into[at] = stats.mtimeMs
    into[at + 1] = stats.ctimeMs
    into[at + 2] = stats.size
    into[at + 3] = stats.ino
    into[at + 4] = stats.mode
    into[at + 5] = stats.dev
  } catch (error) {
    if (!(error instanceof Error && 'errno' in error && 'code' in error)) throw error
    // Some versions of Node throw for it all the same.
    if (error.code !== 'ENOTDIR') into[at + 4] = Number(error.errno)
  }
}
