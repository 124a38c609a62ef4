import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { findProgram } from '../programs.ts'
import type { OpenRequest, SpawnProblem } from './starter.ts'

/** The system names one error for many causes: a missing interpreter and a missing folder are both ENOENT. */
export function diagnoseSpawn(request: OpenRequest, error: NodeJS.ErrnoException): SpawnProblem {
  const { cwd } = request
  const file = request.script ?? request.file
  switch (error.code ?? '') {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
    case 'EPERM':
      if (!canEnter(cwd)) return { kind: 'cwd-missing', path: cwd }
      return diagnoseFile(request) ?? { kind: 'not-executable', path: file }
    case 'ENOEXEC':
      return { kind: 'no-format', path: file }
    case 'E2BIG':
      return { kind: 'too-large' }
    case 'ETXTBSY':
      return { kind: 'busy', path: file }
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return { kind: 'no-resources', code: error.code ?? '' }
    case 'ERR_INVALID_ARG_VALUE':
      return { kind: 'nul-byte' }
    default:
      return { kind: 'other', message: error.message }
  }
}

/** `env` starts, finds no interpreter and exits with 127: to the system that is a program like any other. */
export function diagnoseStatus127(request: OpenRequest): SpawnProblem | undefined {
  const problem = diagnoseFile(request)
  return problem?.kind === 'interpreter-missing' || problem?.kind === 'carriage-return' ? problem : undefined
}

function diagnoseFile({ file, args, script, cwd, env }: OpenRequest): SpawnProblem | undefined {
  const path = script ?? file
  if (isAbsolute(path) ? !exists(path) : script !== undefined && !exists(join(cwd, path))) {
    return { kind: 'file-missing', path }
  }
  const isThere = (name: string) => findProgram(name, env.PATH ?? '/usr/bin:/bin', cwd) !== undefined
  const words = script === undefined ? readShebang(file) : [file, ...args]
  const [interpreter, ...options] = words
  if (interpreter === undefined)
    return isAbsolute(file) || isThere(file) ? undefined : { kind: 'file-missing', path }
  const named = basename(interpreter) === 'env' ? envProgram(options) : interpreter
  for (const name of [interpreter, named]) {
    if (name === undefined || isThere(name)) continue
    if (name.endsWith('\r')) return { kind: 'carriage-return', path, interpreter: name.slice(0, -1) }
    return { kind: 'interpreter-missing', path, interpreter: name }
  }
  return undefined
}

/** The words of the first line behind `#!`, as the kernel reads them: at most 255 bytes. */
function readShebang(file: string): string[] {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const bytes = Buffer.alloc(255)
      const length = readSync(descriptor, bytes)
      const line = bytes.subarray(0, length).toString('latin1').split('\n', 1)[0] ?? ''
      return line.startsWith('#!') ? (line.slice(2).match(/[^ \t]+/g) ?? []) : []
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return []
  }
}

/** What `env` is asked to run: the first word that is neither an option nor an assignment. */
function envProgram(words: readonly string[]): string | undefined {
  return words.find((word) => !word.startsWith('-') && !word.includes('='))
}

/** What cannot be looked at is there. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

function canEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
