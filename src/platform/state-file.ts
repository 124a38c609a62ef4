import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { asFileError } from './file-error.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from './files.ts'
import { withFolderLock } from './folder-lock.ts'

/** A text in the user's state that only its owner may read, and that several processes read and change at once. */
export interface StateFile {
  readonly path: string
  /** Another one whenever the text may be another one. One look at the file, without reading it. */
  stamp(): string
  /** undefined when there is none. */
  read(): string | undefined
  /** One at a time among all processes; what `edit` gets is what is there. */
  change(edit: (text: string | undefined) => string): Promise<void>
}

export function openStateFile(path: string): StateFile {
  const read = () => {
    try {
      return readTextIfThere(path)
    } catch (error) {
      throw asFileError(error, `read ${path}`)
    }
  }
  return {
    path,
    stamp() {
      const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
      return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`
    },
    read,
    async change(edit) {
      makeFolder(dirname(path))
      await withFolderLock(`${path}-lock`, async () => {
        const before = read()
        const text = edit(before)
        if (text !== before) writeFileAtomic(path, text, 0o600)
      })
    },
  }
}
