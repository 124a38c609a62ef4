import { closeSync, constants, openSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { O_PATH, pinnedPath } from './pin.ts'

/**
 * Moves something from one folder into another; what is a folder on both sides is put together, and a file takes the
 * place of one. Goes from folder to folder by handle: neither side can lead it elsewhere by a link. Whether all of it
 * was moved.
 */
export function moveInto(from: string, to: string, name: string): boolean {
  try {
    renameSync(join(from, name), join(to, name))
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOTEMPTY' || code === 'EEXIST' ? putTogether(join(from, name), join(to, name)) : false
  }
}

function putTogether(from: string, to: string): boolean {
  const held: number[] = []
  try {
    for (const path of [from, to])
      held.push(openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW))
    const [source = '', target = ''] = held.map(pinnedPath)
    return readdirSync(source)
      .map((name) => moveInto(source, target, name))
      .every(Boolean)
  } catch {
    return false
  } finally {
    for (const descriptor of held) closeSync(descriptor)
  }
}
