import { posix } from 'node:path'
import type { Receipt } from '../../model/index.ts'
import type { TreeStamp } from '../../platform/index.ts'

/** So many paths are looked at before every call where nothing watches them, whatever it costs. */
const EACH_CALL = 4

export function isSmall({ paths }: TreeStamp): boolean {
  return paths.length <= EACH_CALL
}

/** The places in a stamp of what is looked at before every call of its package. */
export interface EachCall {
  readonly of: TreeStamp
  /** What the manifest names, its programs above all, then folders and as many files as there is room for. */
  readonly alone: readonly number[]
  /**
   * Beside watches: the first that the manifest names, its program as a rule, else the folder. Where that is what it was
   * all paths still lead through the folders that are watched: nothing has a second name, and moving one of them would
   * have been told.
   */
  readonly watched: readonly number[]
}

export function eachCallOf(of: TreeStamp, { manifest }: Receipt): EachCall {
  const places = new Map(of.paths.map((path, index) => [path, index]))
  const named = textsOf(manifest).flatMap((text) => places.get(posix.normalize(text)) ?? [])
  const alone = [...new Set([...named, ...of.paths.slice(0, EACH_CALL).keys()])].slice(0, EACH_CALL)
  return { of, alone, watched: [named[0] ?? 0] }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
