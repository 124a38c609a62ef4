import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { escapeControls, OrlaError } from '../model/index.ts'
import { asFileError } from './file-error.ts'
import { createPathGuard } from './path-guard.ts'

/** Writes the files of a stranger's tree into a new folder, and nothing anywhere else. */
export interface TreeWriter {
  folder(path: string): void
  /** One at a time: the file before must be closed. */
  file(path: string, executable: boolean): FileSink
  /** The target must have been judged before; it is written as it is. */
  link(path: string, target: string): void
  /** Counts an entry; one too many is refused. */
  count(): void
  refuse(path: string, why: string): OrlaError
  /** Stops with nothing left, when `error` came up. Returns what to throw. */
  abandon(error: unknown): unknown
  readonly written: { readonly files: number; readonly bytes: number }
}

export interface FileSink {
  write(chunk: Uint8Array): void
  close(): void
}

export interface TreeLimits {
  readonly entries: number
  readonly bytes: number
}

export const TREE_LIMITS: TreeLimits = { entries: 10_000, bytes: 256 * 1024 * 1024 }

/** `destination` is made; an empty folder may be there. `source` is what messages call the tree. */
export function createTreeWriter(destination: string, source: string, limits: TreeLimits): TreeWriter {
  const guard = createPathGuard()
  const folders = new Set<string>(['.'])
  const written = { files: 0, bytes: 0 }
  let entries = 0
  let open: number | undefined
  makeEmpty(destination)

  const refuse = (path: string, why: string) =>
    new OrlaError('E_UNSAFE_TREE', `${source}: ${escapeControls(JSON.stringify(path))} ${why}`, {
      hint: 'Nothing of it was kept. Whoever made the package can tell why it is like this.',
    })

  function admit(path: string, kind: 'file' | 'folder'): void {
    const problem = guard.admit(path, kind)
    if (problem !== undefined) throw refuse(path, problem)
  }

  /** Not `recursive`: only what this writer made is stepped into. */
  function makeFolder(path: string): void {
    if (folders.has(path)) return
    makeFolder(dirname(path))
    mkdirSync(join(destination, path))
    chmodSync(join(destination, path), 0o755)
    folders.add(path)
  }

  return {
    written,
    refuse,
    count() {
      if (++entries > limits.entries)
        throw new OrlaError('E_UNSAFE_TREE', `${source} has more than ${limits.entries} entries`)
    },
    folder(path) {
      admit(path, 'folder')
      makeFolder(path)
    },
    file(path, executable) {
      admit(path, 'file')
      makeFolder(dirname(path))
      const fd = openSync(join(destination, path), 'wx', 0o600)
      open = fd
      written.files++
      return {
        write(chunk) {
          written.bytes += chunk.length
          if (written.bytes > limits.bytes)
            throw new OrlaError('E_UNSAFE_TREE', `${source} unpacks to more than ${limits.bytes} bytes`)
          for (let from = 0; from < chunk.length; ) from += writeSync(fd, chunk, from)
        },
        close() {
          fchmodSync(fd, executable ? 0o755 : 0o644)
          open = undefined
          closeSync(fd)
        },
      }
    },
    link(path, target) {
      admit(path, 'file')
      makeFolder(dirname(path))
      symlinkSync(target, join(destination, path))
    },
    abandon(error) {
      if (open !== undefined) closeSync(open)
      open = undefined
      rmSync(destination, { recursive: true, force: true })
      return asFileError(error, `write ${destination}`)
    },
  }
}

function makeEmpty(destination: string): void {
  try {
    mkdirSync(destination, { recursive: true })
    if (readdirSync(destination).length === 0) return
  } catch (error) {
    throw asFileError(error, `write ${destination}`)
  }
  throw new OrlaError('E_FILE', `cannot write ${destination}: it is not empty`)
}
