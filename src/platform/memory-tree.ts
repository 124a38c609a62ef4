import { escapeControls, OrlaError } from '../model/index.ts'
import { createPathGuard } from './path-guard.ts'
import type { TreeLimits, TreeWriter } from './tree-writer.ts'

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

/** A writer that judges as the one for folders does, and writes nothing. */
export function createMemoryWriter(
  source: string,
  limits: TreeLimits,
): TreeWriter & { readonly tree: () => MemoryTree } {
  const guard = createPathGuard()
  const files = new Map<string, Buffer | null>()
  const tops = new Set<string>()
  const written = { files: 0, bytes: 0 }
  let entries = 0
  let kept = 0

  const refuse = (path: string, why: string) =>
    new OrlaError('E_UNSAFE_TREE', `${source}: ${escapeControls(JSON.stringify(path))} ${why}`, {
      hint: 'Whoever made the package can tell why it is like this.',
    })
  function admit(path: string, kind: 'file' | 'folder'): void {
    const problem = guard.admit(path, kind)
    if (problem !== undefined) throw refuse(path, problem)
    tops.add(path.includes('/') || kind === 'folder' ? `${path.split('/', 1)[0]}/` : path)
  }

  return {
    written,
    refuse,
    count() {
      if (++entries > limits.entries)
        throw new OrlaError('E_UNSAFE_TREE', `${source} has more than ${limits.entries} entries`)
    },
    folder: (path) => admit(path, 'folder'),
    file(path) {
      admit(path, 'file')
      written.files++
      const chunks: Uint8Array[] = []
      let size = 0
      return {
        write(chunk) {
          written.bytes += chunk.length
          if (written.bytes > limits.bytes)
            throw new OrlaError('E_UNSAFE_TREE', `${source} unpacks to more than ${limits.bytes} bytes`)
          size += chunk.length
          if (isKept()) chunks.push(chunk)
        },
        close() {
          files.set(path, isKept() ? Buffer.concat(chunks) : null)
          if (isKept()) kept += size
        },
      }
      function isKept(): boolean {
        return size <= MOST_OF_ONE && kept + size <= MOST_KEPT
      }
    },
    link: (path) => {
      throw refuse(path, 'is a link')
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
