import { createHash } from 'node:crypto'
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
import { OrlaError } from '../model/index.ts'
import { asFileError } from './file-error.ts'
import { makePath } from './make-path.ts'
import type { TreeFile } from './tree.ts'
import { createTreeBounds, type TreeBounds, type TreeLimits } from './tree-bounds.ts'

/** Writes the files of a stranger's tree into a new folder, and nothing anywhere else. */
export interface TreeWriter extends Pick<TreeBounds, 'count' | 'refuse' | 'written'> {
  folder(path: string): void
  /** One at a time: the file before must be closed. */
  file(path: string, executable: boolean): FileSink
  /** The target must have been judged before; it is written as it is. */
  link(path: string, target: string): void
  /** Stops with nothing left, when `error` came up. Returns what to throw. */
  abandon(error: unknown): unknown
}

export interface FileSink {
  write(chunk: Uint8Array): void
  close(): void
}

const HINT = 'nothing of it was kept; its author can tell why it is like this'

/**
 * `destination` is made; an empty folder may be there. `source` is what messages call the tree. `onFile` gets every
 * file once it is written, so that nobody has to read it again to know what it is.
 */
export function createTreeWriter(
  destination: string,
  source: string,
  limits: TreeLimits,
  onFile?: (file: TreeFile) => void,
): TreeWriter {
  const bounds = createTreeBounds(source, limits, HINT)
  const folders = new Set<string>(['.'])
  let open: number | undefined
  makeEmpty(destination)

  /** Not `recursive`: only what this writer made is stepped into. */
  function makeFolder(path: string): void {
    if (folders.has(path)) return
    makeFolder(dirname(path))
    mkdirSync(join(destination, path))
    chmodSync(join(destination, path), 0o755)
    folders.add(path)
  }

  return {
    written: bounds.written,
    count: () => bounds.count(),
    refuse: (path, why) => bounds.refuse(path, why),
    folder(path) {
      bounds.admit(path, 'folder')
      makeFolder(path)
    },
    file(path, executable) {
      bounds.admit(path, 'file')
      makeFolder(dirname(path))
      const fd = openSync(join(destination, path), 'wx', 0o600)
      open = fd
      bounds.countFile()
      const hash = onFile && createHash('sha256')
      let size = 0
      return {
        write(chunk) {
          bounds.countBytes(chunk)
          size += chunk.length
          hash?.update(chunk)
          for (let from = 0; from < chunk.length; ) from += writeSync(fd, chunk, from)
        },
        close() {
          fchmodSync(fd, executable ? 0o755 : 0o644)
          open = undefined
          closeSync(fd)
          if (hash) onFile?.({ path, size, executable, sha256: hash.digest('hex') })
        },
      }
    },
    link(path, target) {
      bounds.admit(path, 'file')
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
    makePath(destination)
    if (readdirSync(destination).length === 0) return
  } catch (error) {
    throw asFileError(error, `write ${destination}`)
  }
  throw new OrlaError('E_FILE', `cannot write ${destination}: it is not empty`)
}
