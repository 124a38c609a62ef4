import type { Output } from '../../model/index.ts'

/** Outputs of steps that may be used again. What was not asked for longest goes first. */
export interface Memory {
  recall(key: string, maxAgeMs: number): Output | undefined
  keep(key: string, output: Output): void
}

interface Kept {
  readonly output: Output
  readonly since: number
  readonly size: number
}

const MAX_SIZE = 16 * 1024 * 1024

/** `maxSize`: of all keys and outputs together, in characters of JSON. */
export function createMemory(maxSize = MAX_SIZE, now: () => number = () => performance.now()): Memory {
  // A map keeps the order in which its keys came, so the oldest is the first.
  const kept = new Map<string, Kept>()
  let total = 0

  function drop(key: string): void {
    total -= kept.get(key)?.size ?? 0
    kept.delete(key)
  }

  return {
    recall(key, maxAgeMs) {
      const known = kept.get(key)
      if (known === undefined) return undefined
      if (now() - known.since >= maxAgeMs) return undefined
      kept.delete(key)
      kept.set(key, known)
      return known.output
    },
    keep(key, output) {
      drop(key)
      const size = key.length + JSON.stringify(output).length
      if (size > maxSize / 4) return
      kept.set(key, { output, since: now(), size })
      total += size
      for (const oldest of kept.keys()) {
        if (total <= maxSize) return
        drop(oldest)
      }
    },
  }
}
