import { closeSync, fsync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Everything below a folder is on the disk when this resolves. Links are not followed. */
export async function syncTree(folder: string): Promise<void> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  paths.push(folder)
  const next = paths.values()
  // A few on a quick disk are done before other threads have started.
  if (paths.length <= FEW) while (syncQuickly(next));
  // Several at once share a commit of the disk's journal; each holds a file open.
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

const FEW = 8
const QUICK_MS = 1
const AT_ONCE = 16

/** The next one. False when it took long, or there was none. */
function syncQuickly(paths: Iterator<string>): boolean {
  const { value: path, done } = paths.next()
  if (done) return false
  const begun = performance.now()
  syncFolder(path)
  return performance.now() - begun < QUICK_MS
}

/** Only the disk is waited for: opening and closing takes less time than asking another thread to do it. */
async function syncEach(paths: Iterable<string>): Promise<void> {
  for (const path of paths) {
    const fd = openSync(path, 'r')
    try {
      await new Promise<void>((resolve, reject) => {
        fsync(fd, (error) => (error ? reject(error) : resolve()))
      })
    } finally {
      closeSync(fd)
    }
  }
}
