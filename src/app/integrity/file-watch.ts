import { compareListing, contentListing, isContent, type ListingDifference } from '../../formats/index.ts'
import { OrlaError, type Receipt, sha256 } from '../../model/index.ts'
import {
  allHeard,
  changedPaths,
  hasSameNames,
  listTree,
  refreshStamp,
  stampTree,
  type TreeStamp,
} from '../../platform/index.ts'
import { type EachCall, eachCallOf, isSmall } from './each-call.ts'
import { lookAfterwards } from './look-afterwards.ts'
import { createPackageQuiet } from './package-quiet.ts'
import type { InstallRecords } from './records.ts'

/** The files of one installed package, looked at again and again. */
export interface FileWatch {
  readonly receipt: Receipt
  /** What the system said of the files when they were found to be as they were installed. */
  stamp(): TreeStamp | undefined
  /** What differs from what was installed, in words; undefined when nothing does. Hashes only what the system says changed. */
  look(): string | undefined
  /**
   * The same, for before a call: a share of the files where the others are watched or were looked at just now, unless
   * the call is long enough for all.
   */
  glance(): string | undefined | Promise<string | undefined>
  /** How long the last call took. */
  took(ms: number): void
  /** Gives back what watches the files, until the next call. */
  release(): void
}

/**
 * All files are looked at again this long after the last time: before a call, or after one where they are watched, for
 * what is written past watches.
 */
const ALL_AFTER_MS = 1_000
/** What asking the system for one file costs when it has done other things meanwhile, and how much of a call may go into it. */
const LOOK_MS = 0.0035
const SHARE = 0.01

/** With `onFound` the folders of files that are called are watched, and what is found between calls is told there. */
export function watchFiles(
  folder: string,
  receipt: Receipt,
  records: InstallRecords,
  onFound?: (difference: string) => void,
): FileWatch {
  const expected = receipt.digest_after_hook ?? receipt.digest
  const quiet = onFound && createPackageQuiet(folder)
  let stamp: TreeStamp | undefined
  /** What was found to differ, and how the files were then: as long as they stay so, nobody reads all of them again. */
  let spoilt: { readonly of: TreeStamp; readonly found: string } | undefined
  let each: EachCall | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let callMs = 0
  let stopLooking: (() => void) | undefined

  function look(): string | undefined {
    if (spoilt !== undefined && changedPaths(folder, spoilt.of).length === 0) return spoilt.found
    spoilt = undefined
    stamp ??= records.stampOf(folder, expected)
    const changed = stamp === undefined ? [] : changedPaths(folder, stamp)
    if (stamp !== undefined && hasSameNames(folder, stamp, changed, isOwn)) {
      // Orla wrote beside the content: the next look is as quick as before, once that has settled.
      if (changed.length > 0) stamp = refreshStamp(folder, stamp, isOwn)
      lookedAt = performance.now()
      return undefined
    }
    stamp = undefined
    // Another process may be writing a file of Orla's own there, under a name that is gone in a moment.
    const found = hash() && afterAMoment(hash)
    if (found !== undefined) return found
    lookedAt = performance.now()
    return undefined
  }

  /** The stamp is taken first: what changes in between differs from it later. */
  function hash(): string | undefined {
    try {
      const next = stampTree(folder, isOwn)
      const now = listingOf(folder, receipt)
      if (sha256(now) !== expected) {
        const found = inWords(differenceOf(records.listingOf(folder), expected, now))
        spoilt = next && { of: next, found }
        return found
      }
      stamp = next
      if (next !== undefined) records.keepStamp(folder, expected, next)
      return undefined
    } catch (error) {
      if (error instanceof OrlaError) return error.message.replace(`${folder}: `, '')
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      return (error as Error).message // a file that may not be read, or went away meanwhile
    }
  }

  function isDue(): boolean {
    return performance.now() - lookedAt > ALL_AFTER_MS
  }

  function lookAtShare(of: TreeStamp, share: 'alone' | 'watched'): string | undefined {
    if (each?.of !== of) each = eachCallOf(of, receipt)
    return changedPaths(folder, of, each[share]).length === 0 ? undefined : look()
  }

  /** Where nothing watches yet, or something was heard: watch first, then look, so that nothing falls between. */
  function lookAnew(of: TreeStamp): string | undefined {
    const isHeard = quiet?.isBroken() === true
    if (quiet?.begin(of) === true || isHeard || isDue()) return look()
    return lookAtShare(of, 'alone')
  }

  /** A share of those that are watched, and then whatever the watches have to say. */
  function lookAndHear(of: TreeStamp): string | undefined | Promise<string | undefined> {
    const found = lookAtShare(of, 'watched')
    if (found !== undefined || stamp !== of) return found
    return allHeard().then(() => (quiet?.lasts(of) ? undefined : lookAgain()))
  }

  function lookAgain(): string | undefined {
    return stamp === undefined ? look() : lookAnew(stamp)
  }

  /** Whether looking at everything is little beside what the last call took. */
  function isLittle(of: TreeStamp): boolean {
    return of.paths.length * LOOK_MS <= callMs * SHARE
  }

  /** For what nobody hears of: a change in memory, or under another name. Few files are also watched from then on. */
  function lookBetweenCalls(of: TreeStamp): void {
    const begin = () => {
      const isWatched = quiet?.lasts(of) === true || quiet?.begin(of) === true
      if (!isWatched) stopLooking = undefined
      return isWatched
    }
    stopLooking ??= lookAfterwards(folder, of, begin, (isSame) => {
      stopLooking = undefined
      if (isSame && stamp === of) lookedAt = performance.now()
      if (isSame) return
      quiet?.end()
      const found = look()
      if (found !== undefined) onFound?.(found)
    })
  }

  return {
    receipt,
    stamp: () => stamp,
    look,
    glance() {
      if (stamp === undefined || isLittle(stamp)) return look()
      if (quiet?.lasts(stamp)) return lookAndHear(stamp)
      return isSmall(stamp) ? look() : lookAnew(stamp)
    },
    took(ms) {
      callMs = ms
      if (quiet === undefined || stamp === undefined) return
      quiet.use()
      if (quiet.lasts(stamp) ? isDue() : isSmall(stamp) && !isLittle(stamp) && quiet.isAllowed())
        lookBetweenCalls(stamp)
    },
    release() {
      stopLooking?.()
      stopLooking = undefined
      quiet?.end()
    },
  }
}

/** What it says after the time that writing a small file takes. */
export function afterAMoment<T>(look: () => T): T {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOMENT_MS)
  return look()
}

const MOMENT_MS = 30

/** What Orla itself writes beside the content. */
function isOwn(path: string): boolean {
  return !isContent(path)
}

/** Of everything in the folder. A hook may have made links that lead outside. */
export function listingOf(folder: string, { name, version }: Receipt): string {
  const files = listTree(folder, isOwn, true)
  return contentListing(name, version, files)
}

/** What differs from the listing that was kept at the install, when it is the one that is meant. */
export function differenceOf(
  before: string | undefined,
  expected: string,
  now: string,
): ListingDifference | undefined {
  return before !== undefined && sha256(before) === expected ? compareListing(before, now) : undefined
}

/** `bin/fs changed, x.pyc was added`. */
export function inWords(difference: ListingDifference | undefined): string {
  if (difference === undefined) return 'its files changed'
  const { changed, added, missing } = difference
  const all = [
    ...changed.map((path) => `${path} changed`),
    ...added.map((path) => `${path} was added`),
    ...missing.map((path) => `${path} is gone`),
  ]
  const more = all.length > MOST ? `, and ${all.length - MOST} more` : ''
  return all.length === 0 ? 'its files changed' : `${all.slice(0, MOST).join(', ')}${more}`
}

const MOST = 5
