import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { markedEnvironment } from '../marker.ts'
import type { StartContext } from '../start.ts'
import type { OpenRequest } from '../starter.ts'
import { closeFar, closeNear, openStreams, type Streams } from '../streams.ts'

/** A program that talks until it takes the file in its descriptor 3 for its input. */
export interface WithFile {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** The same file on this side. */
  readonly input: number
}

/**
 * Starts a program with the streams that a call gets: outputs that can be opened by name, and the file that is to be
 * the input. Undefined where there are none to be had, or it does not start: then the usual way says why.
 */
export function startWithFile(
  { file, args, cwd, env }: OpenRequest,
  { marker, guardian, streams: store }: StartContext,
): WithFile | undefined {
  const files = store?.take(env.PATH)
  if (files === undefined) return undefined
  let streams: Streams | undefined
  try {
    guardian.watch(env.PATH, store?.folder)
    streams = openStreams(files, '')
    const [input, ...outputs] = streams.far
    const { stdout, stderr } = streams
    const child = spawn(file, args, {
      cwd,
      env: markedEnvironment(env, marker),
      detached: true,
      stdio: ['pipe', ...outputs, input],
    })
    const { pid, stdin } = child
    child.on('error', () => {})
    if (pid === undefined || stdin === null) throw new Error('not started')
    for (const output of outputs) closeSync(output)
    guardian.add(pid)
    return { child, pid, stdin, stdout, stderr, input }
  } catch {
    if (streams !== undefined) {
      closeFar(streams)
      closeNear(streams)
    }
    return undefined
  }
}
