import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePath } from '../make-path.ts'
import { createFilter, type FilterOptions } from './seccomp/filter.ts'

/** Files made up for programs with a root of their own. */
export interface SyntheticFiles {
  /** From the path inside to the file outside. */
  readonly etc: Readonly<Record<string, string>>
  /** Stands in for a file that is hidden. */
  readonly empty: string
  /** Filters of system calls: without sockets of the host, and with them. Undefined on machines without one. */
  readonly filter: string | undefined
  readonly filterWithUnix: string | undefined
}

/** Writes them into a folder that only Orla uses. */
export function writeSyntheticFiles(folder: string): SyntheticFiles {
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  makePath(folder, 0o700)
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    if (readIfThere(path)?.equals(Buffer.from(content))) return path
    // Another server may use the file in this moment.
    writeFileSync(`${path}.${process.pid}`, content, { mode: 0o600 })
    renameSync(`${path}.${process.pid}`, path)
    return path
  }
  const writeFilter = (name: string, sockets: FilterOptions['sockets']) => {
    const filter = createFilter({ arch: process.arch, isolated: true, sockets })
    return filter && write(name, filter)
  }
  const isNobody = uid === NOBODY
  const people = [
    ...(uid === 0 ? [] : ['root:x:0:0:root:/nonexistent:/bin/false']),
    `tool:x:${uid}:${gid}:tool:/tmp:/bin/sh`,
    ...(isNobody ? [] : [`nobody:x:${NOBODY}:${NOBODY}:nobody:/nonexistent:/bin/false`]),
  ]
  const groups = [...(gid === 0 ? [] : ['root:x:0:']), `tool:x:${gid}:`]
  return {
    etc: {
      '/etc/passwd': write('passwd', `${people.join('\n')}\n`),
      '/etc/group': write('group', `${groups.join('\n')}\n`),
      '/etc/hosts': write('hosts', '127.0.0.1 localhost tool\n::1 localhost\n'),
      '/etc/nsswitch.conf': write('nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    },
    empty: write('empty', ''),
    filter: writeFilter('filter', ['inet', 'inet6', 'netlink']),
    filterWithUnix: writeFilter('filter-unix', ['unix', 'inet', 'inet6', 'netlink']),
  }
}

const NOBODY = 65_534

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
