// What /proc says about processes, independent of how Orla finds them.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** The living processes whose command line contains the text. Zombies have none. */
export function mentioning(text) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), line: commandLine(name) }))
    .filter(({ line }) => line.includes(text))
}

export function isAlive(pid) {
  return commandLine(pid) !== ''
}

/** The processes that watch over a server. */
export function guardiansOf(pid) {
  return mentioning('read -r how token')
    .map((guardian) => guardian.pid)
    .filter((guardian) => parentOf(guardian) === pid)
}

/** True as soon as the condition holds, false when it does not before the deadline. */
export async function until(condition, deadlineMs) {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    if (condition()) return true
    if (performance.now() > deadline) return false
    await pause(15)
  }
}

function commandLine(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
}

function parentOf(pid) {
  const stat = read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
