import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { readPipe } from '../read-pipe.ts'
import type { StreamFiles } from './stream-files.ts'

/**
 * The three streams of a program, such that it can open them by name. What Node makes for `stdio: 'pipe'` are
 * sockets, and on Linux those cannot be opened: `echo … > /dev/stderr` and `cat /dev/stdin` fail, in scripts
 * that work everywhere else. So standard input is a file, and the outputs are FIFOs, since Node has no pipe(2).
 * (A FIFO for the input would not do: to open one that was written and closed waits for ever.) All lose their
 * names as soon as they are open.
 */
export interface Streams {
  /** For the program: standard input, output, error. To be closed on this side once it has them. */
  readonly far: readonly [number, number, number]
  readonly stdout: Readable
  readonly stderr: Readable
}

/** Throws what the system says when there is no room or no more files can be opened. */
export function openStreams({ stdin, stdout, stderr }: StreamFiles, input: string | Uint8Array): Streams {
  const opened: number[] = []
  const open = (name: string, flags: number): number => {
    const descriptor = openSync(name, flags, 0o600)
    opened.push(descriptor)
    return descriptor
  }
  // The end that reads comes first and does not block: to open the other one alone would wait for it.
  const openBoth = (name: string) => ({
    near: open(name, constants.O_RDONLY | constants.O_NONBLOCK),
    far: open(name, constants.O_WRONLY),
  })
  try {
    const file = open(stdin, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL)
    unlinkSync(stdin)
    writeWhole(file, input)
    const outputs = openBoth(stdout)
    const errors = openBoth(stderr)
    for (const name of [stdout, stderr]) unlinkSync(name)
    return {
      far: [file, outputs.far, errors.far],
      stdout: readPipe(outputs.near),
      stderr: readPipe(errors.near),
    }
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor)
    throw error
  }
}

/** At fixed positions: the program begins to read where the descriptor stands, at the start. */
function writeWhole(file: number, input: string | Uint8Array): void {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at)
}

export function closeFar({ far }: Streams): void {
  for (const descriptor of far) closeSync(descriptor)
}

export function closeNear({ stdout, stderr }: Streams): void {
  stdout.destroy()
  stderr.destroy()
}
