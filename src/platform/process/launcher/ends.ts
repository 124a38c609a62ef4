import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { getSystemErrorName } from 'node:util'
import { diagnoseSpawn, diagnoseStatus127 } from '../spawn-problem.ts'
import type { OpenFailure, OpenRequest, ProcessEnd } from '../starter.ts'

/** How a program ended, from the payload of GONE or EXIT. */
export interface ProgramEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly usage: { readonly cpuMs: number; readonly maxRssBytes: number }
}

export function readEnd(payload: Buffer): ProgramEnd {
  const status = payload.readUInt32LE(0)
  const signal = payload.readUInt32LE(4)
  return {
    exitCode: status === 0xffffffff ? null : status,
    signal: signal === 0 ? null : signalName(signal),
    usage: {
      cpuMs: Number(payload.readBigUInt64LE(8)) / 1000,
      maxRssBytes: payload.readUInt32LE(16) * 1024,
    },
  }
}

/** Real-time signals have no name in Node. */
function signalName(number: number): string {
  for (const [name, value] of Object.entries(constants.signals)) if (value === number) return name
  return `SIG${number}`
}

const STAGES = ['', 'pipe', 'clone', 'chdir', 'setrlimit', 'confine', 'spawn', 'cgroup']

/** The payload of FAILED as the error `child_process` would give. */
export function readFailure({ file }: OpenRequest, payload: Buffer): NodeJS.ErrnoException {
  const syscall = STAGES[payload.readUInt32LE(0)] ?? 'spawn'
  const errno = -payload.readUInt32LE(4)
  const code = getSystemErrorName(errno)
  return Object.assign(new Error(`${syscall} ${file} ${code}`), { errno, code, syscall, path: file })
}

const HOLDING = ['confine', 'setrlimit', 'cgroup']

export function explain(request: OpenRequest, error: NodeJS.ErrnoException): OpenFailure {
  // The file is as it should be; what the system refused is to hold it.
  if (HOLDING.includes(error.syscall ?? ''))
    return { error, problem: { kind: 'other', message: error.message } }
  return { error, problem: diagnoseSpawn(request, error) }
}

/** When the script is gone its interpreter would start and say so in words of its own. */
export function missingScript({ cwd, script }: OpenRequest): NodeJS.ErrnoException | undefined {
  if (script === undefined || existsSync(resolve(cwd, script))) return undefined
  return Object.assign(new Error(`ENOENT: no such file, open '${script}'`), { code: 'ENOENT', path: script })
}

const NO_OUTPUT = { exitCode: null, signal: null, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) } as const
export const NOT_STARTED: ProcessEnd = { cause: 'abort', ...NO_OUTPUT }

export function notSpawned(request: OpenRequest, error: NodeJS.ErrnoException): ProcessEnd {
  return { cause: 'spawn', ...NO_OUTPUT, ...explain(request, error) }
}

/** A status of 127 is the shell's and env's word for a program they did not find. */
export function unlessNotSpawned(request: OpenRequest, end: ProcessEnd): ProcessEnd {
  if (end.cause !== 'exit' || end.exitCode !== 127 || end.stdout.length > 0) return end
  const problem = diagnoseStatus127(request)
  return problem === undefined ? end : { ...end, cause: 'spawn', problem }
}

export function noRoom(): NodeJS.ErrnoException {
  return Object.assign(new Error('spawn EAGAIN: too many programs run at once'), {
    code: 'EAGAIN',
    syscall: 'spawn',
  })
}
