import { posix } from 'node:path'
import type { Receipt } from '../../model/index.ts'
import type { TreeStamp } from '../../platform/index.ts'

/** So many paths are looked at before every call, whatever it costs. */
export const EACH_CALL = 4

/** The places in a stamp of what is looked at before every call of its package. */
export interface EachCall {
  readonly of: TreeStamp
  /** What the manifest names, its programs above all, then folders and as many files as there is room for. */
  readonly alone: readonly number[]
  /**
   * Beside watches: what the manifest names, else the folder. Where one of these is what it was, its path still leads
   * through the folders that are watched: nothing has a second name, and moving one of them would have been told.
   */
  readonly watched: readonly number[]
}

export function eachCallOf(of: TreeStamp, { manifest }: Receipt): EachCall {
  const named = new Set(textsOf(manifest).map((text) => posix.normalize(text)))
  const first = of.paths.flatMap((path, index) => (path !== '' && named.has(path) ? [index] : []))
  const alone = [...new Set([...first, ...of.paths.slice(0, EACH_CALL).keys()])].slice(0, EACH_CALL)
  return { of, alone, watched: first.length > 0 ? first.slice(0, EACH_CALL) : [0] }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
