// Loads the files of the program. What V8 made of their code is kept between runs: compiling it again would take a third
// of the time of a small command. What was kept is there twice, and used only when both are the same: V8 does not look,
// and would crash.
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { sumOf } from './answers/index.ts'
import { makePath } from './platform/index.ts'

export interface Code {
  /** A file of the program by its name, as in `./main.cjs`, or a module of Node's. */
  load(id: string): unknown
  /** What was compiled, for the next run. */
  keep(): void
}

export interface CodeOptions {
  /** Where the files are. Their names tell the content. */
  readonly from: string
  /** Where their code is kept. */
  readonly place: string
  readonly builtin: (id: string) => unknown
}

interface Loaded {
  exports: unknown
}

/** Behind the two copies: a sum, and in how many runs this was made. */
const SEAL_BYTES = 8
/**
 * The first run of a command fetches and finds out what is there for all others. So the second one begins anew, and the
 * third adds what it came to besides.
 */
const MOST_RUNS = 3
const NOTHING = { runs: 0 }
/** A new command of a version that is in use makes a folder in that of the version. */
const UNUSED_MS = 60 * 24 * 3_600_000

export function openCode({ from, place, builtin }: CodeOptions): Code {
  const made: { readonly file: string; readonly script: Script; readonly runs: number }[] = []
  const loaded = new Map<string, Loaded>()

  /**
   * Node's own loader would look for each file in several places, and for a package.json above them. What the build
   * writes is in one place, in ASCII, and wrapped in a function already.
   */
  function load(id: string): unknown {
    if (!id.startsWith('./')) return builtin(id)
    const known = loaded.get(id)
    if (known !== undefined) return known.exports
    const file = from + id.slice(1)
    const kept = place + id.slice(1)
    const { data, runs } = once(readIfThere(kept))
    const cachedData = runs === 1 ? undefined : data
    const script = new Script(readFileSync(file, 'latin1'), {
      filename: file,
      ...(cachedData && { cachedData }),
    })
    const runsBefore = script.cachedDataRejected ? 0 : runs
    if (runsBefore < MOST_RUNS) made.push({ file: kept, script, runs: runsBefore + 1 })
    const run = script.runInThisContext() as (...parts: unknown[]) => void // what the build wraps it in
    const chunk: Loaded = { exports: {} }
    // Before it runs: chunks may need each other.
    loaded.set(id, chunk)
    run(chunk.exports, load, chunk)
    return chunk.exports
  }

  return {
    load,
    keep() {
      if (made.length === 0) return
      let part: string | undefined
      try {
        const isNew = makePath(place, 0o700) !== undefined
        for (const { file, script, runs } of made) {
          part = `${file}.${process.pid}`
          writeFileSync(part, twice(script.createCachedData(), runs), { mode: 0o600 })
          renameSync(part, file)
          part = undefined
        }
        // Last: another one that sweeps at the same time may be in the way.
        if (isNew) sweep(dirname(dirname(place)))
      } catch {
        // A read-only home, a full disk: the next run compiles again.
        if (part !== undefined) remove(part)
      }
    },
  }
}

/** What versions of Orla and Node kept that were not used for long. */
function sweep(all: string): void {
  for (const name of readdirSync(all)) {
    const folder = join(all, name)
    if (Date.now() - statSync(folder).mtimeMs > UNUSED_MS) remove(folder)
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // It stays.
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Comparing two copies takes a tenth of the time of a sum over all of it, made here before anything is compiled. */
function twice(data: Buffer, runs: number): Buffer {
  const seal = Buffer.alloc(SEAL_BYTES)
  seal.writeInt32LE(sumOf(data), 0)
  seal.writeInt32LE(runs, 4)
  return Buffer.concat([data, data, seal])
}

/** Without data when it is not as it was written. */
function once(kept: Buffer | undefined): { readonly data?: Buffer; readonly runs: number } {
  const half = ((kept?.length ?? 0) - SEAL_BYTES) / 2
  if (kept === undefined || half < 0 || !Number.isInteger(half)) return NOTHING
  const data = kept.subarray(0, half)
  const isSame = data.equals(kept.subarray(half, 2 * half))
  if (!isSame || kept.readInt32LE(2 * half) !== sumOf(data)) return NOTHING
  return { data, runs: kept.readInt32LE(2 * half + 4) }
}
