import type * as Files from 'node:fs'
import type { Identity } from './led-to.ts'

type FileModule = typeof Files
type Anything = (...words: never[]) => unknown

/** Told what a command looks at, before it goes on. */
export interface Notes {
  /** A path that is looked at next. */
  looking(path: unknown): void
  /** What a path led to, to the end of all links. */
  led(path: unknown, end: Identity): void
  /** A path, and whether something was there; `follows` when a link at its end was followed. */
  looked(path: unknown, wasThere: boolean, follows: boolean): void
  /** A path that was followed to its end. */
  ended(path: unknown, end: unknown): void
  /** A file was put in its place. */
  placed(path: unknown): void
  /** Something happened that cannot be looked at again. */
  readonly doubted: () => void
}

/** What tells something of one path: nothing, or an error, when nothing is there. */
const FOLLOWING = ['existsSync', 'readdirSync', 'readFileSync', 'statSync'] as const
const NOT_FOLLOWING = ['lstatSync', 'readlinkSync'] as const
/** What reads from a file that was opened, and what writes: it does not change what an answer says. */
const HARMLESS =
  /^(?:(?:close|fchmod|fdatasync|fsync|ftruncate|read|write|appendFile|chmod|mkdir|rm|rmdir|unlink|utimes|writeFile)Sync|Stats|Dirent|Dir)$/
/** Of the flags of an open file, on every system that Node runs on. */
const [ACCESS, ONLY_WRITES] = [3, 1]

/** `node:fs` that notes what is looked at. What it does not know it lets through, and doubts. */
export function notedFiles(files: FileModule, notes: Notes): FileModule {
  const noted: Record<string, unknown> = {}
  // Not by its values: some of them load more than was asked for.
  for (const name of Object.keys(files)) {
    Object.defineProperty(noted, name, {
      enumerable: true,
      configurable: true,
      get: () => unknownPart(files[name as keyof FileModule], name, notes),
    })
  }
  const add = (name: string, value: unknown) =>
    Object.defineProperty(noted, name, { value, enumerable: true, configurable: true })
  for (const name of FOLLOWING) add(name, noting(files[name], true, notes))
  for (const name of NOT_FOLLOWING) add(name, noting(files[name], false, notes))
  /** Paths of files that were opened; some are closed by now. */
  const opened = new Map<number, Files.PathLike>()
  add('openSync', opening(files.openSync, opened, notes))
  add('fstatSync', (fd: number, options?: Files.StatSyncOptions) => {
    const stats = files.fstatSync(fd, options)
    if (opened.has(fd)) tellEnd(opened.get(fd), stats, notes)
    return stats
  })
  add('renameSync', (from: Files.PathLike, to: Files.PathLike) => {
    files.renameSync(from, to)
    notes.placed(to)
  })
  const { realpathSync } = files
  add(
    'realpathSync',
    Object.assign(ending(realpathSync, notes), { native: ending(realpathSync.native, notes) }),
  )
  return noted as unknown as FileModule // every name of it is there
}

function unknownPart(part: unknown, name: string, notes: Notes): unknown {
  const isHarmless = typeof part !== 'function' ? name !== 'promises' : HARMLESS.test(name)
  if (!isHarmless) notes.doubted()
  return part
}

function noting<Look extends Anything>(look: Look, follows: boolean, notes: Notes): Look {
  const noted = (...words: Parameters<Look>): unknown => {
    const [path] = words
    // A file that was opened: its path is noted.
    if (typeof path === 'number') return look(...words)
    notes.looking(path)
    try {
      const found = look(...words)
      notes.looked(path, found !== undefined && found !== false, follows)
      if (follows) tellEnd(path, found, notes)
      return found
    } catch (error) {
      // What may not be read looks the same when it may: that depends on who asks, and on more than files.
      if (isMissing(error)) notes.looked(path, false, follows)
      else notes.doubted()
      throw error
    }
  }
  return noted as Look // it takes the same words
}

/** What is opened only to be written to tells nothing. */
function opening(
  open: FileModule['openSync'],
  opened: Map<number, Files.PathLike>,
  notes: Notes,
): FileModule['openSync'] {
  const noted = noting(open, true, notes)
  return (path, flags, mode) => {
    const onlyWrites = typeof flags === 'number' ? (flags & ACCESS) === ONLY_WRITES : /^[aw]x?$/.test(flags)
    const fd = onlyWrites ? open(path, flags, mode) : noted(path, flags, mode)
    if (onlyWrites) opened.delete(fd)
    else opened.set(fd, path)
    return fd
  }
}

function tellEnd(path: unknown, found: unknown, notes: Notes): void {
  if (typeof found !== 'object' || found === null || !('ino' in found) || !('dev' in found)) return
  notes.led(path, { ino: Number(found.ino), dev: Number(found.dev) })
}

function ending<Follow extends Anything>(follow: Follow, notes: Notes): Follow {
  const noted = (...words: Parameters<Follow>): unknown => {
    try {
      const end = follow(...words)
      notes.ended(words[0], end)
      return end
    } catch (error) {
      notes.doubted()
      throw error
    }
  }
  return noted as Follow // it takes the same words
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
