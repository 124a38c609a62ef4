import { escapeControls, OrlaError } from '../model/index.ts'
import { createPathGuard } from './path-guard.ts'

export interface TreeLimits {
  readonly entries: number
  readonly bytes: number
}

export const TREE_LIMITS: TreeLimits = { entries: 10_000, bytes: 256 * 1024 * 1024 }

/** What a stranger's tree may hold, wherever it is written to. */
export interface TreeBounds {
  readonly written: { readonly files: number; readonly bytes: number }
  refuse(path: string, why: string): OrlaError
  /** Counts an entry; one too many is refused. */
  count(): void
  /** Throws when this path cannot be part of the tree. */
  admit(path: string, kind: 'file' | 'folder'): void
  countFile(): void
  /** Throws when the tree becomes too large by it. */
  countBytes(chunk: Uint8Array): void
}

/** `source` is what messages call the tree, `hint` what they end with. */
export function createTreeBounds(source: string, limits: TreeLimits, hint: string): TreeBounds {
  const guard = createPathGuard()
  const written = { files: 0, bytes: 0 }
  let entries = 0
  const refuse = (path: string, why: string) =>
    new OrlaError('E_UNSAFE_TREE', `${source}: ${escapeControls(JSON.stringify(path))} ${why}`, { hint })
  return {
    written,
    refuse,
    count() {
      if (++entries > limits.entries)
        throw new OrlaError('E_UNSAFE_TREE', `${source} has more than ${limits.entries} entries`)
    },
    admit(path, kind) {
      const problem = guard.admit(path, kind)
      if (problem !== undefined) throw refuse(path, problem)
    },
    countFile() {
      written.files++
    },
    countBytes(chunk) {
      written.bytes += chunk.length
      if (written.bytes > limits.bytes)
        throw new OrlaError('E_UNSAFE_TREE', `${source} unpacks to more than ${limits.bytes} bytes`)
    },
  }
}
