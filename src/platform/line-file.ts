import { closeSync, constants, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { asFileError, fullDisk } from './file-error.ts'
import { readTextIfThere } from './files.ts'
import { withFolderLock } from './folder-lock.ts'
import { makePath } from './make-path.ts'

/** Lines that only their owner may read, of at most about twice `maxBytes`: the older half goes first. */
export interface LineFile {
  /** Adds lines behind those of every other process. They are with the system when this returns. */
  append(lines: readonly string[]): void
  /** The oldest first. A line that was cut is one, too. */
  read(): readonly string[]
  /** Whoever asks for it waits until what is too much has been put aside. */
  settle(): Promise<void>
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

export function openLineFile(folder: string, maxBytes: number): LineFile {
  const current = join(folder, 'calls.jsonl')
  const older = join(folder, 'calls.1.jsonl')
  let turning: Promise<void> | undefined

  /** Under a lock: of two that find it full, the second finds it new. */
  async function turn(): Promise<void> {
    await withFolderLock(join(folder, 'lock'), async () => {
      const size = statSync(current, { throwIfNoEntry: false })?.size ?? 0
      if (size >= maxBytes) renameSync(current, older)
    })
  }

  return {
    append(lines) {
      try {
        makePath(folder, 0o700)
        const fd = openSync(current, APPEND, 0o600)
        try {
          // In one piece, so that lines of two processes do not mix, and on a line of its own, whatever was cut before.
          const bytes = Buffer.from(`\n${lines.join('\n')}`)
          if (writeSync(fd, bytes) !== bytes.length) throw fullDisk()
          if (fstatSync(fd).size >= maxBytes)
            turning ??= turn().finally(() => {
              turning = undefined
            })
        } finally {
          closeSync(fd)
        }
      } catch (error) {
        throw asFileError(error, `write to ${folder}`)
      }
    },
    read: () =>
      [older, current].flatMap((file) =>
        (readTextIfThere(file) ?? '').split('\n').filter((line) => line !== ''),
      ),
    // What could not be put aside is tried again with the next line.
    settle: async () => turning?.catch(() => {}),
  }
}
