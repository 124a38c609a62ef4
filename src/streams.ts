// What main.ts and boot.ts print by: both ends of the program wait until it is read.

/** For who is slow to read what is not data, or has been told that this is the end; they cannot keep the program. */
const LAST_WORDS_MS = 1_000

export interface Streams {
  readonly stdout: () => NodeJS.WriteStream
  readonly stderr: () => NodeJS.WriteStream
  /** The stdout of a server: whoever talks with it by that may have stopped to read. */
  readonly client: () => NodeJS.WriteStream
  /** Ends the program when all is written. Data waits for who pages through it, as that of any program. */
  readonly end: (status: number) => void
}

/** Opened when somebody asks for them, which costs something. */
export function openStreams(): Streams {
  let out: NodeJS.WriteStream | undefined
  let err: NodeJS.WriteStream | undefined
  let isServer = false

  function stdout(): NodeJS.WriteStream {
    if (out !== undefined) return out
    const opened = process.stdout
    // A reader that leaves early is no failure of ours, and what else goes wrong is for who else listens.
    opened.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && opened.listenerCount('error') === 1) throw error
    })
    out = opened
    return opened
  }

  return {
    stdout,
    stderr() {
      err ??= process.stderr
      return err
    },
    client() {
      isServer = true
      return stdout()
    },
    end(status) {
      process.exitCode = status
      // Whatever else might keep the loop alive does not.
      const exit = () => process.exit(status)
      if (out === undefined && err === undefined) exit()
      const exitSoon = () => void setTimeout(exit, LAST_WORDS_MS)
      if (isServer) exitSoon()
      void drained(out).then(exitSoon)
      void Promise.all([out, err].map(drained)).then(exit)
    },
  }
}

async function drained(stream: NodeJS.WriteStream | undefined): Promise<void> {
  if (stream !== undefined) await new Promise((resolve) => stream.write('', resolve))
}
