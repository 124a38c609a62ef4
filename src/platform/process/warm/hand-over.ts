import { writeSync } from 'node:fs'
import type { OpenProcess, ProcessRequest } from '../starter.ts'

/** Beyond this a command line may be too long for the system, which only a fresh start finds out. */
const LONGEST_HEADER = 96 * 1024

/**
 * What a waiting interpreter has to know: fields that end in NUL bytes, which neither words nor variables can hold.
 * Undefined when there is a NUL byte in one of them, or too much of all.
 */
export function describeCall(
  { file, args, cwd, env }: ProcessRequest,
  program: string,
  script: number,
): string | undefined {
  // The marker is the one it was started with; this only says where among the variables it stands.
  const variables = Object.entries({ ...env, MCP_RUN: '' }).map(([name, value]) => `${name}=${value}`)
  const words = [file, ...args]
  const fields = [program, cwd, String(script + 1), String(words.length), ...words, ...variables]
  if (fields.some((field) => field.includes('\0'))) return undefined
  const call = fields.join('\0')
  return call.length > LONGEST_HEADER ? undefined : call
}

/**
 * Eight hexadecimal digits for the length, the descriptor that is to be the input of the script, its call; then its
 * input, unless that is a file. Throws when there is no room for the file.
 */
export function handOver({ stdin, input }: OpenProcess, call: string, given: string | Uint8Array): void {
  const bytes = typeof given === 'string' ? Buffer.from(given) : given
  const body = Buffer.from(`${input === undefined ? 0 : FILE}\0${call}`)
  const length = Buffer.from(body.length.toString(16).padStart(8, '0'))
  if (input === undefined) {
    stdin.end(Buffer.concat([length, body, bytes]))
    return
  }
  // At fixed positions: the script begins to read where the descriptor stands, at the start.
  for (let at = 0; at < bytes.length; ) at += writeSync(input, bytes, at, bytes.length - at, at)
  stdin.end(Buffer.concat([length, body]))
}

/** As the program sees it. */
const FILE = 3
