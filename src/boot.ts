#!/usr/bin/env node
// Loads the program. What V8 made of its code is kept between runs: compiling it again would take a third of the time of
// a small command. What was kept is used only when it is whole: V8 does not look, and would crash.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type NodeModule from 'node:module'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'

declare const __ORLA_VERSION__: string

interface Compiling {
  exports: unknown
  require(id: string): unknown
  _compile(content: string, file: string): unknown
}

/** The module this file is, as Node made it. Importing `node:module` would load three times as much. */
declare const module: Compiling & {
  readonly constructor: typeof NodeModule & { readonly prototype: Compiling }
}

/** The names in there tell the content. */
const own = join(dirname(__filename), 'chunks')
// Other versions of Orla, of Node and of V8's flags reject each other's files or never see them.
const place = join(
  process.env.ORLA_HOME || join(process.env.HOME || homedir(), '.orla'),
  'cache/code',
  `${__ORLA_VERSION__}-${process.version}-${process.arch}`,
  // Each command keeps what it needs of the code: what another one left would be too little, or more than enough.
  /^[a-z]{1,12}$/.exec(process.argv[2] ?? '')?.[0] ?? 'serve',
)
/** Behind the data, which V8 wants where numbers may lie, stand the same again and a sum of some of it. */
const SUM_BYTES = 4
/** More would take time, fewer might miss what damaged both halves alike. */
const SUMMED_WORDS = 1_000
const made: { readonly file: string; readonly script: Script }[] = []
// Node's own loader has no public place for this before version 22.
const { constructor: Module } = module
const loader = Module.prototype
// It is called with the module as `this`, below.
const compile: (this: Compiling, content: string, file: string) => unknown = Reflect.get(loader, '_compile')

loader._compile = function (this: Compiling, content: string, file: string): unknown {
  if (dirname(file) !== own) return compile.call(this, content, file)
  const kept = join(place, basename(file))
  const cachedData = unsealed(readIfThere(kept))
  const script = new Script(Module.wrap(content), {
    filename: file,
    ...(cachedData && { cachedData }),
  })
  if (cachedData === undefined || script.cachedDataRejected) made.push({ file: kept, script })
  const run = script.runInThisContext() as (...parts: unknown[]) => unknown // what Module.wrap makes
  return run.call(this.exports, this.exports, (id: string) => this.require(id), this, file, dirname(file))
}

process.once('exit', () => {
  if (made.length === 0 || !hasWorked()) return
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 })
    for (const { file, script } of made) {
      const part = `${file}.${process.pid}`
      writeFileSync(part, sealed(script.createCachedData()), { mode: 0o600 })
      renameSync(part, file)
    }
  } catch {
    // A read-only home, a full disk: the next run compiles again.
  }
})

// The build puts the name of the file here.
module.require('./main.cjs')

function hasWorked(): boolean {
  return process.exitCode === 0
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Comparing takes a hundredth of what a whole sum takes, in code that nothing is compiled for yet. */
function sealed(data: Buffer): Buffer {
  const sum = Buffer.alloc(SUM_BYTES)
  sum.writeInt32LE(sumOf(data))
  return Buffer.concat([data, data, sum])
}

/** Undefined when it is not as it was written. */
function unsealed(kept: Buffer | undefined): Buffer | undefined {
  const half = ((kept?.length ?? 0) - SUM_BYTES) / 2
  if (kept === undefined || half <= 0) return undefined
  const data = kept.subarray(0, half)
  const isWhole = kept.subarray(half, -SUM_BYTES).equals(data)
  return isWhole && kept.readInt32LE(kept.length - SUM_BYTES) === sumOf(data) ? data : undefined
}

function sumOf({ buffer, byteOffset, length }: Buffer): number {
  const words = new Int32Array(buffer, byteOffset, length >> 2)
  const step = Math.ceil(words.length / SUMMED_WORDS)
  let sum = 0
  for (let at = 0; at < words.length; at += step) sum = (sum << 1) ^ (sum >>> 31) ^ (words[at] as number) // it is in there
  return sum
}
