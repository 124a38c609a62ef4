import { rmSync } from 'node:fs'

/** Removes what was left of something that failed, with all that is in it. */
export function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // Where it could not be made it cannot be removed either; what failed first is what is told.
  }
}
