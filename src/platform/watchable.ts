import { lstatSync, readFileSync, statfsSync } from 'node:fs'
import type { TreeStamp } from './tree-stamp.ts'
import { SHORTEST_QUEUE } from './watch-burst.ts'

/** The system allows a user so many watches, and others want some too. */
const MOST_FOLDERS = 512

/**
 * File systems, by what statfs calls them, in which nothing is written that this system does not hear of. Not so those
 * of a network, of programs (FUSE) and of virtual machines (9p, virtiofs), and not those nobody here has heard of. An
 * overlay counts: whoever changes its layers behind its back gets, says the kernel, something undefined.
 */
const HEARD: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x794c7630, // overlay
])

/** Whether watches on the folders of a tree tell of every change to it, as far as watches do. */
export function isWatchable(folder: string, { paths, folders }: TreeStamp): boolean {
  // Elsewhere nobody has shown that changes are told in the order in which things happen.
  if (process.platform !== 'linux' || folders > MOST_FOLDERS) return false
  try {
    if (!HEARD.has(statfsSync(folder).type >>> 0) || queueLength() < SHORTEST_QUEUE) return false
    const root = lstatSync(folder)
    return root.isDirectory() && paths.every((path) => isOnlyHere(`${folder}/${path}`, root.dev))
  } catch {
    return false
  }
}

/** What has another name, or lies elsewhere, can be changed there without a word to its folder. */
function isOnlyHere(path: string, device: number): boolean {
  const stats = lstatSync(path)
  return stats.dev === device && (stats.nlink === 1 || stats.isDirectory())
}

function queueLength(): number {
  return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
}
