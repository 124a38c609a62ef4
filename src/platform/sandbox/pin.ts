import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { SandboxRefusal } from './refusal.ts'

/** Only a handle on the file: nothing is read, and no right to read is needed. Node has no name for it. */
export const O_PATH = 0o10000000

/**
 * Holds what lies at a path below a folder, following no link on the way: another tool may write there and exchange
 * any part of the path for a link in any moment. Undefined when nothing is there and nothing is to be made.
 */
export function pinBelow(folder: string, path: string, create = false): number | undefined {
  const parts = relative(folder, path).split(sep)
  let held = openSync(folder, O_PATH | constants.O_DIRECTORY)
  for (const [index, part] of parts.entries()) {
    const outer = held
    try {
      const inner = join(pinnedPath(outer), part)
      if (create && index === parts.length - 1) makeFile(inner)
      held = openSync(inner, O_PATH | constants.O_NOFOLLOW)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return undefined
      if (code === 'ENOTDIR') throw throughLink(path)
      throw error
    } finally {
      closeSync(outer)
    }
    // With O_PATH a link itself is opened, which leads nowhere.
    if (fstatSync(held).isSymbolicLink()) {
      closeSync(held)
      throw throughLink(path)
    }
  }
  return held
}

function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx'))
  } catch (error) {
    // Also said of a link, whatever it leads to.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Leads to what is held, whatever lies at its path by now, for every process of the same user. */
export function pinnedPath(descriptor: number): string {
  return `/proc/${process.pid}/fd/${descriptor}`
}

function throughLink(path: string): SandboxRefusal {
  return new SandboxRefusal(
    `${path} is reached through a link, which a permission for the project never follows`,
  )
}
