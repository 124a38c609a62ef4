import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Unused FIFOs, three for each program. Making them takes a process, so they are made many at a time. */
export interface FifoStore {
  /** Undefined where none can be made. `path` is where mkfifo is found. */
  take(path: string | undefined): readonly [string, string, string] | undefined
  /** Where they lie. */
  folder(): string | undefined
  close(): Promise<void>
}

/** Programs: made while the first one waits, made beside the calls, and left when that begins. */
const FIRST = 8
const LATER = 64
const LOW = 32

export function createFifoStore(): FifoStore {
  const ready: string[] = []
  let folder: string | undefined
  let made = 0
  let making: ChildProcess | undefined
  let usable = true

  function prepare(programs: number): string[] {
    folder ??= makeFolder()
    if (folder === undefined) usable = false
    return Array.from({ length: 3 * programs }, () => join(folder ?? '', String(made++)))
  }

  function makeNow(path: string | undefined): void {
    const names = prepare(FIRST)
    if (!usable) return
    usable = spawnSync('mkfifo', ['-m', '600', ...names], options(path)).status === 0
    if (usable) ready.push(...names)
  }

  function makeBeside(path: string | undefined): void {
    const names = prepare(LATER)
    const child = spawn('mkfifo', ['-m', '600', ...names], options(path))
    making = child
    child.unref()
    child.on('error', () => {})
    child.on('close', (status) => {
      making = undefined
      if (status === 0) ready.push(...names)
    })
  }

  return {
    folder: () => folder,
    take(path) {
      if (usable && ready.length < 3) makeNow(path)
      if (usable && ready.length < 3 * LOW && making === undefined) makeBeside(path)
      const [stdin, stdout, stderr] = ready.splice(0, 3)
      if (stdin === undefined || stdout === undefined || stderr === undefined) return undefined
      return [stdin, stdout, stderr]
    },
    async close() {
      usable = false
      if (making !== undefined) {
        const ended = once(making, 'close')
        making.ref()
        await ended
      }
      ready.length = 0
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function options(path: string | undefined) {
  return { env: { PATH: path ?? '/usr/bin:/bin' }, stdio: 'ignore' } as const
}

/** In memory where there is such a place: on a disk, making them can cost more than starting a program. */
function makeFolder(): string | undefined {
  for (const place of ['/dev/shm', tmpdir()]) {
    try {
      return mkdtempSync(join(place, 'orla-fifo-'))
    } catch {
      // The next one.
    }
  }
  return undefined
}
