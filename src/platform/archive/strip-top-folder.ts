import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

/** Moves everything one up when it lies in a single folder. Returns what all paths began with then: `top/`, or nothing. */
export function stripTopFolder(folder: string): string {
  const [top, ...others] = readdirSync(folder, { withFileTypes: true })
  if (top === undefined || others.length > 0 || !top.isDirectory()) return ''
  // Out of the way first: a child may have its parent's name.
  const aside = join(folder, `.top-${randomBytes(6).toString('hex')}`)
  renameSync(join(folder, top.name), aside)
  for (const name of readdirSync(aside)) renameSync(join(aside, name), join(folder, name))
  rmdirSync(aside)
  return `${top.name}/`
}
