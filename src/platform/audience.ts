import { spawn } from 'node:child_process'

/**
 * Tells once nobody reads what is written to this descriptor, until it is closed. Node itself hears of that only when it
 * writes, so the launcher looks, as a process of its own that ends with this one. Throws what `spawn` throws at once.
 */
export function watchAudience(launcher: string, fd: number, onGone: () => void): { close(): void } {
  const child = spawn(launcher, ['--audience'], {
    cwd: '/',
    env: {},
    detached: true,
    // As one of the first three, it would be made to block, for this process as well; the fourth is for another purpose.
    stdio: ['pipe', 'ignore', 'ignore', 'ignore', fd],
  })
  let isClosed = false
  child.on('error', () => {}) // Then nobody tells.
  child.on('exit', (code) => {
    if (code === 0 && !isClosed) onGone()
  })
  child.stdin?.on('error', () => {})
  child.unref()
  return {
    close() {
      isClosed = true
      child.stdin?.destroy()
    },
  }
}
