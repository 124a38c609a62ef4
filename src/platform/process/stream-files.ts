import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makePath } from '../make-path.ts'

/** Names for the streams of one program: a file to be made, and two FIFOs. */
export interface StreamFiles {
  readonly stdin: string
  readonly stdout: string
  readonly stderr: string
}

/** Unused FIFOs. Making them takes a process, so they are made many at a time. */
export interface StreamStore {
  /** Where they lie, or will. Undefined where none can be made. */
  readonly folder: string | undefined
  /** `path` is where mkfifo is found. */
  take(path: string | undefined): StreamFiles | undefined
  /** Someone removed them: a logout may clear what its user has in memory. */
  lost(): void
  close(): Promise<void>
}

/** Counted in programs: made while one waits, made beside the calls, and when to begin that. */
const FIRST = 8
const LATER = 96
const LOW = 48

/** Only in memory: what a tool is told must not reach a disk, and there FIFOs cost more than starting a program. */
const PLACE = '/dev/shm'

/** The folder has the name of the server, so that its guardian knows it before it is there. */
export function createStreamStore(server: string): StreamStore {
  const folder = isLinuxWith(PLACE) ? join(PLACE, `orla-${server}`) : undefined
  const ready: string[] = []
  let usable = folder !== undefined
  let made = 0
  let making: ChildProcess | undefined

  function makeNow(path: string | undefined): void {
    const names = makeFolder(folder) ? newNames(FIRST) : []
    usable = spawnSync('mkfifo', ['-m', '600', ...names], options(path)).status === 0
    if (usable) ready.push(...names)
  }

  function makeBeside(path: string | undefined): void {
    if (making !== undefined) return
    const names = newNames(LATER)
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

  function newNames(programs: number): string[] {
    return Array.from({ length: 2 * programs }, () => `${folder}/${made++}`)
  }

  return {
    folder,
    lost() {
      ready.length = 0
    },
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

function isLinuxWith(place: string): boolean {
  return process.platform === 'linux' && existsSync(place)
}

function makeFolder(folder: string | undefined): boolean {
  try {
    if (folder !== undefined) makePath(folder, 0o700)
    return folder !== undefined
  } catch {
    return false
  }
}
