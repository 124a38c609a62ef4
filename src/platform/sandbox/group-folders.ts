import { join, relative } from 'node:path'
import { isWithin } from './within.ts'

export interface GroupFolder {
  readonly folder: string
  /** Below the first, groups count by themselves; below the second, where `cgroup.subtree_control` says so. */
  readonly version: 1 | 2
}

/**
 * Folders for groups that count processes, the nearest first, so that all that binds us binds them too. From the texts
 * of `/proc/self/cgroup` and `/proc/self/mountinfo`.
 */
export function groupFolders(own: string, mounts: string): readonly GroupFolder[] {
  const groups = own.split('\n').map((line) => /^\d+:([^:]*):(\/.*)$/.exec(line))
  const pathOf = (is: (controllers: string) => boolean) =>
    groups.find((found) => found && is(found[1] ?? ''))?.[2]
  const first = pathOf((controllers) => controllers.split(',').includes('pids'))
  const second = pathOf((controllers) => controllers === '')
  return mounts.split('\n').flatMap((line): GroupFolder[] => {
    const [place = '', system = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = place.split(' ')
    const [type, , options = ''] = system.split(' ')
    // A path with a blank or the like is written in another way; nobody mounts groups there.
    if (!point.startsWith('/') || point.includes('\\')) return []
    if (type === 'cgroup' && options.split(',').includes('pids')) {
      return below(first, root).map((path) => ({ folder: join(point, path), version: 1 }))
    }
    if (type !== 'cgroup2') return []
    return upwards(below(second, root)).map((path) => ({ folder: join(point, path), version: 2 }))
  })
}

/** The path as seen through a mount of `root`; none when it lies elsewhere. */
function below(path: string | undefined, root: string): readonly string[] {
  if (path === undefined || path.split('/').includes('..') || !isWithin(path, root)) return []
  return [relative(root, path)]
}

function upwards([path]: readonly string[]): readonly string[] {
  if (path === undefined) return []
  const parts = path.split('/').filter((part) => part !== '')
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), '']
}
