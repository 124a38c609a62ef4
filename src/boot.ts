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

/** Twice the same: comparing them takes a hundredth of what a sum takes, which nothing is compiled for yet. */
function sealed(data: Buffer): Buffer {
  return Buffer.concat([data, data])
}

/** Undefined when it is not as it was written. */
function unsealed(kept: Buffer | undefined): Buffer | undefined {
  const half = (kept?.length ?? 0) / 2
  const data = kept?.subarray(0, half)
  return data !== undefined && half > 0 && kept?.subarray(half).equals(data) ? data : undefined
}
