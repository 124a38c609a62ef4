import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { within } from './children.mjs'

const PROBE = fileURLToPath(new URL('../programs/probe.cjs', import.meta.url))

/** Options for a server that tells its live heap. */
export const PROBED = { nodeArgs: ['--expose-gc', '-r', PROBE], ipc: true }

/** Megabytes that are still in use once garbage is gone. */
export async function liveHeap(child) {
  const answer = once(child, 'message')
  child.send('measure')
  const [{ heap }] = await within(30_000, 'live heap', answer)
  return heap / 2 ** 20
}
