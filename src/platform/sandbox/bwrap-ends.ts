import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { isFolder } from '../path-kind.ts'
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

/** As if what holds it had not been in between. */
export function runEnd(request: OpenRequest, end: ProcessEnd, by: Wrapper): ProcessEnd {
  const { cause, exitCode, stdout } = end
  const { ownStatus, said } = WORDS[by]
  if (cause === 'exit' && ownStatus.includes(exitCode ?? 0) && stdout.length === 0)
    return unlessNotMade(end, said)
  if (cause === 'exit' && exitCode === 127 && stdout.length === 0) {
    const problem = diagnoseStatus127(request)
    return problem === undefined ? end : { ...end, cause: 'spawn', problem }
  }
  return { ...end, ...signalled(end, by) }
}

export function openEnd(request: OpenRequest, end: OpenEnd, by: Wrapper): OpenEnd {
  const problem = end.exitCode === 127 ? diagnoseStatus127(request) : undefined
  return { ...end, ...signalled(end, by), ...(problem && { problem }) }
}

/** What starts before the program to hold it. */
export type Wrapper = 'bwrap' | 'seatbelt'

/** They say in one line what they could not do, and end with a status of their own before the program began. */
const WORDS: Readonly<Record<Wrapper, { readonly ownStatus: readonly number[]; readonly said: RegExp }>> = {
  bwrap: { ownStatus: [1], said: /^bwrap: ([^\n]+)\n$/ },
  seatbelt: { ownStatus: [64, 65, 71], said: /^sandbox-exec: ([^\n]+)\n/ },
}

function unlessNotMade(end: ProcessEnd, pattern: RegExp): ProcessEnd {
  const said = pattern.exec(end.stderr.toString())?.[1]
  if (said === undefined) return end
  const problem = { kind: 'other' as const, message: `its sandbox could not be made: ${said}` }
  return { ...end, cause: 'spawn', exitCode: null, error: new Error(said), problem }
}

/** Where a program ended by a signal bwrap ends like a shell, with 128 and the number. The other becomes the program. */
function signalled({ exitCode }: OpenEnd, by: Wrapper): Partial<Pick<OpenEnd, 'exitCode' | 'signal'>> {
  if (by !== 'bwrap' || exitCode === null || exitCode <= 128) return {}
  const [name] = Object.entries(constants.signals).find(([, value]) => value === exitCode - 128) ?? []
  return name === undefined ? {} : { exitCode: null, signal: name }
}
