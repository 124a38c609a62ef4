import { closeSync, fsync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Everything below a folder is on the disk when this resolves. Links are not followed. */
export async function syncTree(folder: string): Promise<void> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  paths.push(folder)
  // Several at once share a commit of the disk's journal; each holds a file open.
  const next = paths.values()
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, paths.length) }, () => syncEach(next)))
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const AT_ONCE = 16

async function syncEach(paths: Iterable<string>): Promise<void> {
  for (const path of paths) await sync(path)
}

/** Only what waits for the disk is left to others; `fs/promises` would take longer to load than a small tree takes. */
async function sync(path: string): Promise<void> {
  const fd = openSync(path, 'r')
  try {
    await new Promise<void>((resolve, reject) => {
      fsync(fd, (error) => (error === null ? resolve() : reject(error)))
    })
  } finally {
    closeSync(fd)
  }
}
