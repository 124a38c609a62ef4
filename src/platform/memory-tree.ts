import { createTreeBounds, type TreeLimits } from './tree-bounds.ts'
import type { TreeWriter } from './tree-writer.ts'

/** The files of a stranger's tree that nobody wants on the disk. */
export interface MemoryTree {
  /** Of every file, in the order in which they came. */
  readonly paths: readonly string[]
  /** The text of a file; null when it was too large to be kept. */
  readonly text: (path: string) => string | null | undefined
}

/** More of one file, and of all together, is counted and let go. */
const MOST_OF_ONE = 4 * 1_048_576
const MOST_KEPT = 64 * 1_048_576
const HINT = 'its author can tell why it is like this'

/** A writer that judges as the one for folders does, and writes nothing. */
export function createMemoryWriter(
  source: string,
  limits: TreeLimits,
): TreeWriter & { readonly tree: () => MemoryTree } {
  const bounds = createTreeBounds(source, limits, HINT)
  const files = new Map<string, Buffer | null>()
  const tops = new Set<string>()
  let kept = 0

  function admit(path: string, kind: 'file' | 'folder'): void {
    bounds.admit(path, kind)
    tops.add(path.includes('/') || kind === 'folder' ? `${path.split('/', 1)[0]}/` : path)
  }

  return {
    written: bounds.written,
    count: () => bounds.count(),
    refuse: (path, why) => bounds.refuse(path, why),
    folder: (path) => admit(path, 'folder'),
    file(path) {
      admit(path, 'file')
      bounds.countFile()
      const chunks: Uint8Array[] = []
      let size = 0
      return {
        write(chunk) {
          bounds.countBytes(chunk)
          size += chunk.length
          if (isKept()) chunks.push(chunk)
        },
        close() {
          files.set(path, isKept() ? joined(chunks) : null)
          if (isKept()) kept += size
        },
      }
      function isKept(): boolean {
        return size <= MOST_OF_ONE && kept + size <= MOST_KEPT
      }
    },
    link: (path) => {
      throw bounds.refuse(path, 'is a link')
    },
    abandon: (error) => error,
    tree() {
      // Everything in one folder: what is in it counts.
      const [only = ''] = tops
      const top = tops.size === 1 && only.endsWith('/') ? only : ''
      return {
        paths: [...files.keys()].map((path) => path.slice(top.length)),
        text: (path) => {
          const bytes = files.get(top + path)
          return bytes === undefined || bytes === null ? bytes : bytes.toString('utf8')
        },
      }
    },
  }
}

/** Most files come in one piece. */
function joined(chunks: readonly Uint8Array[]): Buffer {
  const [first, ...others] = chunks
  return first !== undefined && others.length === 0
    ? Buffer.from(first.buffer, first.byteOffset, first.length)
    : Buffer.concat(chunks)
}
