// What main.ts and boot.ts print by: both ends of the program wait until it is read.

/** For a reader that is slow; one that does not read at all cannot keep the program. */
const LAST_WORDS_MS = 1_000

export interface Streams {
  stdout(): NodeJS.WriteStream
  stderr(): NodeJS.WriteStream
  /** Ends the program when all is written. */
  end(status: number): void
}

/** Opened when somebody asks for them, which costs something. */
export function openStreams(): Streams {
  const opened = new Set<NodeJS.WriteStream>()
  return {
    stdout() {
      if (!opened.has(process.stdout)) {
        opened.add(process.stdout)
        // A reader that leaves early is no failure of ours, and what else goes wrong is for who else listens.
        process.stdout.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EPIPE' && process.stdout.listenerCount('error') === 1) throw error
        })
      }
      return process.stdout
    },
    stderr() {
      opened.add(process.stderr)
      return process.stderr
    },
    end(status) {
      process.exitCode = status
      if (opened.size === 0) process.exit()
      // What is written drains first, if someone reads it; whatever else might keep the loop alive does not.
      setTimeout(() => process.exit(status), LAST_WORDS_MS)
      const drained = [...opened].map((stream) => new Promise((resolve) => stream.write('', resolve)))
      void Promise.all(drained).then(() => process.exit(status))
    },
  }
}
