#!/usr/bin/env node
// Loads the program. What V8 made of its code is kept between runs: compiling it again would take a third of the time of
// a small command. What was kept is used only when its sum is right: V8 does not look, and would crash.
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
)
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

/** Length and sum stand before the data. */
const SEAL_BYTES = 8

function sealed(data: Buffer): Buffer {
  const seal = Buffer.alloc(SEAL_BYTES)
  seal.writeUInt32LE(data.length, 0)
  seal.writeUInt32LE(sumOf(data), 4)
  return Buffer.concat([seal, data])
}

/** Undefined when it is not as it was written. */
function unsealed(kept: Buffer | undefined): Buffer | undefined {
  if (kept === undefined || kept.length < SEAL_BYTES) return undefined
  // V8 wants it where numbers may lie.
  const data = Buffer.from(kept.subarray(SEAL_BYTES))
  const isWhole = kept.readUInt32LE(0) === data.length && kept.readUInt32LE(4) === sumOf(data)
  return isWhole ? data : undefined
}

/** Enough to notice damage; nobody is kept out by it. */
function sumOf(data: Buffer): number {
  let sum = 0
  for (let at = 0; at + 4 <= data.length; at += 4) sum = (Math.imul(sum, 31) + data.readInt32LE(at)) | 0
  return sum >>> 0
}
