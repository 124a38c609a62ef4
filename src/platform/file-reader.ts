import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Problem } from '../model/index.ts'
import { READ, readHead, type TakeHead } from './head.ts'

/** What keeps a file that was found from being read; a file that is gone by now keeps nobody. */
export interface Unread {
  readonly problem?: Problem
}

/** What is made of the beginning of a file. */
export function readBeginning<T>(path: string, take: TakeHead<T>): T | Unread {
  return attempt(path, () => readHead(path, take) ?? {})
}

export function readWhole(path: string): string | Unread {
  return attempt(path, () => {
    const fd = openSync(path, READ)
    try {
      return readFileSync(fd, 'utf8')
    } finally {
      closeSync(fd)
    }
  })
}

function attempt<T>(path: string, read: () => T): T | Unread {
  try {
    return read()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return {}
    return { problem: { file: path, message: `cannot be read (${code})`, hint: 'check its permissions' } }
  }
}

/** What the system said. Anything else is a bug and goes on being thrown. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  throw error
}
