import { asFileError } from '../file-error.ts'
import type { OpenFailure, ProcessEnd } from '../process/starter.ts'

/** Why a program cannot run in its sandbox. It is told to people, and nothing is started. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal'
}

/** Also what the system says while files are looked up: they may be gone, or not for us. */
export function refused(error: unknown): OpenFailure {
  if (!(error instanceof SandboxRefusal) && !isSystemError(error)) throw error
  if (error instanceof SandboxRefusal) return { error, problem: { kind: 'denied', message: error.message } }
  const where = error.path === undefined ? '' : ` (${error.path})`
  const told = asFileError(error, `prepare its sandbox${where}`)
  return { error, problem: { kind: 'other', message: told instanceof Error ? told.message : error.message } }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

export function notStarted(failure: OpenFailure): ProcessEnd {
  return { cause: 'spawn', ...NO_OUTPUT, ...failure }
}

const NO_OUTPUT = { exitCode: null, signal: null, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) } as const
