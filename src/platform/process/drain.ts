import type { Readable } from 'node:stream'

/** Output that is still on its way when a program has ended arrives within this silence, or someone holds the pipe. */
const SILENCE_MS = 250
const LONGEST_DRAIN_MS = 2_000

/**
 * Resolves when all streams have ended. A process that escaped may hold them open for ever: after a silence, or
 * `LONGEST_DRAIN_MS` in all, they are closed from this side. `count` grows with what was read.
 */
export async function drainStreams(streams: readonly Readable[], count: () => number): Promise<void> {
  const open = streams.filter((stream) => !stream.closed)
  if (open.length === 0) return
  const closed = Promise.all(open.map((stream) => new Promise((resolve) => stream.once('close', resolve))))
  const stopWatching = watchSilence(count, () => {
    for (const stream of open) stream.destroy()
  })
  await closed
  stopWatching()
}

/**
 * The look at the counter comes one turn of the event loop after the timer: a loop that was blocked has then
 * read what was waiting, and a busy server does not mistake its own delay for silence.
 */
function watchSilence(count: () => number, onSilence: () => void): () => void {
  const begun = performance.now()
  let before = count()
  let timer = setTimeout(look, SILENCE_MS)
  let stopped = false
  function look(): void {
    setImmediate(() => {
      if (stopped) return
      if (count() === before || performance.now() - begun > LONGEST_DRAIN_MS) return onSilence()
      before = count()
      timer = setTimeout(look, SILENCE_MS)
    })
  }
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
