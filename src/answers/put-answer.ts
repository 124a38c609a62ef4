import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makePath } from '../platform/index.ts'

const MOST_ANSWERS = 16

/** Where it cannot be written, as in a read-only home, the next command finds out by itself. */
export function putAnswer(file: string, bytes: Uint8Array): void {
  const part = `${file}.${process.pid}`
  try {
    const folder = dirname(file)
    makePath(folder, 0o700)
    writeFileSync(part, bytes, { mode: 0o600 })
    renameSync(part, file)
    sweep(folder)
  } catch {
    rmSync(part, { force: true })
  }
}

/** Those that were made longest ago. */
function sweep(folder: string): void {
  const names = readdirSync(folder)
  if (names.length <= MOST_ANSWERS) return
  const aged = names.map((name) => ({ path: join(folder, name), made: statSync(join(folder, name)).mtimeMs }))
  aged.sort((one, other) => other.made - one.made)
  for (const { path } of aged.slice(MOST_ANSWERS)) rmSync(path, { force: true })
}
