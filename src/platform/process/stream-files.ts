import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Names for the streams of one program: a file to be made, and two FIFOs. */
export interface StreamFiles {
  readonly stdin: string
  readonly stdout: string
  readonly stderr: string
}

/** Unused FIFOs. Making them takes a process, so they are made many at a time. */
export interface StreamStore {
  /** Undefined where none can be made. `path` is where mkfifo is found. */
  take(path: string | undefined): StreamFiles | undefined
  /** Where they lie. */
  folder(): string | undefined
  close(): Promise<void>
}

/** Counted in programs: made while one waits, made beside the calls, and when to begin that. */
const FIRST = 8
const LATER = 96
const LOW = 48

/** Only in memory: what a tool is told must not reach a disk, and there FIFOs cost more than starting a program. */
const PLACE = '/dev/shm'

export function createStreamStore(): StreamStore {
  const ready: string[] = []
  let folder: string | undefined
  let usable = process.platform === 'linux'
  let made = 0
  let making: ChildProcess | undefined

  function makeNow(path: string | undefined): void {
    folder ??= makeFolder()
    const names = folder === undefined ? [] : newNames(folder, FIRST)
    usable = spawnSync('mkfifo', ['-m', '600', ...names], options(path)).status === 0
    if (usable) ready.push(...names)
  }

  function makeBeside(path: string | undefined): void {
    if (folder === undefined || making !== undefined) return
    const names = newNames(folder, LATER)
    const child = spawn('mkfifo', ['-m', '600', ...names], options(path))
    child.unref()
    child.on('error', () => {})
    if (child.pid === undefined) return
    making = child
    child.on('exit', (status) => {
      making = undefined
      if (status === 0) ready.push(...names)
    })
  }

  function newNames(place: string, programs: number): string[] {
    return Array.from({ length: 2 * programs }, () => join(place, String(made++)))
  }

  return {
    folder: () => folder,
    take(path) {
      if (usable && ready.length < 2) makeNow(path)
      if (usable && ready.length < 2 * LOW) makeBeside(path)
      const stderr = ready.pop()
      const stdout = ready.pop()
      return stdout && stderr ? { stdin: `${stdout}-in`, stdout, stderr } : undefined
    },
    async close() {
      usable = false
      making?.ref()
      if (making !== undefined) await once(making, 'exit')
      ready.length = 0
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function options(path: string | undefined) {
  return { env: { PATH: path ?? '/usr/bin:/bin' }, stdio: 'ignore' } as const
}

function makeFolder(): string | undefined {
  try {
    return mkdtempSync(join(PLACE, 'orla-'))
  } catch {
    return undefined
  }
}
