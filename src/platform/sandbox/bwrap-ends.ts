import { existsSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { diagnoseSpawn, diagnoseStatus127 } from '../process/spawn-problem.ts'
import type { OpenEnd, OpenFailure, OpenRequest, ProcessEnd } from '../process/starter.ts'
import { findProgram } from '../programs.ts'
import { interpreters } from './interpreter.ts'

/** Why a program cannot start, asked before bwrap is: it would start, fail inside and tell it in its own words. */
export function whyNotStarted(request: OpenRequest): OpenFailure | undefined {
  const { file, cwd, env, script } = request
  const find = (name: string) => findProgram(name, env.PATH ?? '/usr/bin:/bin', cwd)
  const program = find(file)
  // What `env` looks for is its own affair, as it is without a sandbox.
  const [interpreter] = interpreters(program)
  const isThere = program !== undefined && (interpreter === undefined || find(interpreter) !== undefined)
  const hasScript = script === undefined || existsSync(resolve(cwd, script))
  if (isThere && hasScript && isFolder(cwd)) return undefined
  const error = Object.assign(new Error(`spawn ${file} ENOENT`), { code: 'ENOENT', path: file })
  return { error, problem: diagnoseSpawn(request, error) }
}

/** As if bwrap had not been in between. */
export function runEnd(request: OpenRequest, end: ProcessEnd): ProcessEnd {
  const { cause, exitCode, stdout } = end
  if (cause === 'exit' && exitCode === 1 && stdout.length === 0) return unlessNotMade(end)
  if (cause === 'exit' && exitCode === 127 && stdout.length === 0) {
    const problem = diagnoseStatus127(request)
    return problem === undefined ? end : { ...end, cause: 'spawn', problem }
  }
  return { ...end, ...signalled(end) }
}

export function openEnd(request: OpenRequest, end: OpenEnd): OpenEnd {
  const problem = end.exitCode === 127 ? diagnoseStatus127(request) : undefined
  return { ...end, ...signalled(end), ...(problem && { problem }) }
}

/** bwrap says in one line what it could not do, and ends with 1 before the program began. */
function unlessNotMade(end: ProcessEnd): ProcessEnd {
  const said = /^bwrap: ([^\n]+)\n$/.exec(end.stderr.toString())?.[1]
  if (said === undefined) return end
  const problem = { kind: 'other' as const, message: `its sandbox could not be made: ${said}` }
  return { ...end, cause: 'spawn', exitCode: null, error: new Error(said), problem }
}

/** Where a program ended by a signal bwrap ends like a shell, with 128 and the number. */
function signalled({ exitCode }: OpenEnd): Partial<Pick<OpenEnd, 'exitCode' | 'signal'>> {
  if (exitCode === null || exitCode <= 128) return {}
  const [name] = Object.entries(constants.signals).find(([, value]) => value === exitCode - 128) ?? []
  return name === undefined ? {} : { exitCode: null, signal: name }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
