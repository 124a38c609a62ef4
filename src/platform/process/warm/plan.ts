import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { findProgram } from '../../programs.ts'
import type { RunRequest } from '../launcher/run.ts'
import { startingEnvironment } from './environment.ts'
import { type Language, languageOf } from './language.ts'
import { understandsOptions } from './options.ts'

/** How to start an interpreter that a call like this one can use. */
export interface Plan {
  readonly language: Language
  readonly file: string
  readonly options: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly setup: RunRequest['setup']
  /** The program behind `file`. */
  readonly program: string
  /** Where among the words of the request the script stands. */
  readonly script: number
  /** Calls with the same key can be served by the same processes… */
  readonly key: string
  /** …as long as the program is still this one. */
  readonly version: string
}

/** Undefined for whatever a process started ahead might do differently. */
export function planWarm(request: RunRequest): Plan | undefined {
  const { file, args, cwd, env, setup } = request
  const language = request.script === undefined ? undefined : languageOf(file)
  if (language === undefined || request.script === undefined || !isAbsolute(request.script)) return undefined
  // What stands behind the options is the script, or else an option we do not know takes it as a value.
  const script = args.indexOf(request.script)
  const options = args.slice(0, script)
  if (script < 0 || !understandsOptions(language, options)) return undefined
  const starting = startingEnvironment(language, env)
  if (starting === undefined) return undefined
  const program = findProgram(file, env.PATH ?? '', cwd)
  if (program === undefined || !isAbsolute(program)) return undefined
  if (file.includes('/') && !isAbsolute(file)) return undefined
  const version = versionOf(program)
  if (version === undefined || !isFile(request.script)) return undefined
  const key = JSON.stringify([file, program, options, starting, setup], plainly)
  return { language, file, options, env: starting, setup, program, script, key, version }
}

/** What changes when the program is replaced or its links lead elsewhere. */
function versionOf(program: string): string | undefined {
  try {
    const path = realpathSync.native(program)
    const { mtimeMs, ino, size } = statSync(path)
    return `${path} ${ino} ${size} ${mtimeMs}`
  } catch {
    return undefined
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/**
 * A script in the place of an interpreter chooses the real one by folder, variables and words that are not known
 * ahead, as the shims of version managers do.
 */
export function isBinary(program: string): boolean {
  try {
    const descriptor = openSync(program, 'r')
    try {
      const bytes = Buffer.alloc(2)
      return readSync(descriptor, bytes) === 2 && bytes.toString('latin1') !== '#!'
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return false
  }
}

function plainly(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
