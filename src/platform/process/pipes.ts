import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'

/**
 * Real pipes for the three streams of a program. What Node makes for `stdio: 'pipe'` are sockets, and a socket
 * cannot be opened by name: `echo … > /dev/stderr` and `cat /dev/stdin` fail on them, in scripts that work
 * everywhere else. Node has no pipe(2), so these are FIFOs that lose their name as soon as they are open.
 */
export interface Pipes {
  /** For the program: standard input, output, error. To be closed on this side once it has them. */
  readonly far: readonly [number, number, number]
  readonly stdin: Socket
  readonly stdout: Socket
  readonly stderr: Socket
}

/** Throws what the system says when no more files can be opened. */
export function openPipes(names: readonly [string, string, string]): Pipes {
  const opened = new Set<number>()
  const open = (name: string, flags: number): number => {
    const descriptor = openSync(name, flags)
    opened.add(descriptor)
    return descriptor
  }
  // The end that reads comes first and does not block: to open the other one alone would wait for it.
  const openBoth = (name: string) => ({
    read: open(name, READ | constants.O_NONBLOCK),
    write: open(name, WRITE),
  })
  try {
    const [input, output, errors] = names
    const stdin = openBoth(input)
    // A program must not inherit an input that does not block.
    const blocking = open(input, READ)
    closeSync(stdin.read)
    opened.delete(stdin.read)
    const stdout = openBoth(output)
    const stderr = openBoth(errors)
    for (const name of names) unlinkSync(name)
    return {
      far: [blocking, stdout.write, stderr.write],
      stdin: new Socket({ fd: stdin.write, readable: false, writable: true }),
      stdout: new Socket({ fd: stdout.read, readable: true, writable: false }),
      stderr: new Socket({ fd: stderr.read, readable: true, writable: false }),
    }
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor)
    throw error
  }
}

const READ = constants.O_RDONLY
const WRITE = constants.O_WRONLY

export function closeFar({ far }: Pipes): void {
  for (const descriptor of far) closeSync(descriptor)
}

export function destroyPipes({ stdin, stdout, stderr }: Pipes): void {
  for (const socket of [stdin, stdout, stderr]) socket.destroy()
}
