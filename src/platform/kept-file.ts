import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { discard } from './discard.ts'
import { isRunning } from './pid.ts'

/** For its owner only, in one write and a rename. It is not synced: what is kept so can be made again, and tells if it is torn. */
export function putKeptFile(file: string, bytes: Uint8Array): void {
  const part = `${file}.${process.pid}`
  try {
    writeFileSync(part, bytes, { mode: 0o600 })
    renameSync(part, file)
  } catch (error) {
    discard(part)
    throw error
  }
}

/** Removes what others left in a folder who were killed before the rename. */
export function sweepParts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /\.(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid), null)) discard(join(folder, name))
  }
}
