import { spawn } from 'node:child_process'
import { once } from 'node:events'

const running = new Set()

/** Starts a program that is gone, at the latest, when the run ends. */
export function start(command, args, options) {
  const child = spawn(command, args, options)
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  child.stdin?.on('error', () => {})
  return child
}

/** Asks it to end, and makes it after five seconds. */
export async function stop(child) {
  if (!running.has(child)) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await ended
  clearTimeout(timer)
}

export async function stopAll() {
  await Promise.all([...running].map(stop))
}

/** For the end of this process itself, when nothing can be waited for any more. */
export function killAll() {
  for (const child of running) child.kill('SIGKILL')
}

/** Nothing is waited for without end. */
export async function within(ms, what, promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms: ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
