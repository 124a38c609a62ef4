import type { Permission, PermissionPath } from '../model/index.ts'
import { parsePermission } from './permission.ts'
import { showPermissionPath } from './permission-path.ts'

/** What a word means; one that Orla does not know stands for itself. */
export function describeWord(word: string): string {
  const parsed = parsePermission(word)
  return parsed === undefined || 'problem' in parsed ? word : describePermission(parsed)
}

/** What a permission means, for the person who is asked to accept it. */
export function describePermission(permission: Permission): string {
  switch (permission.kind) {
    case 'filesystem': {
      const verb = permission.access === 'read' ? 'reads' : 'reads and changes'
      return `${verb} ${describeFiles(permission.path)}`
    }
    case 'network':
      return `connects to ${describeHost(permission.host, permission.port)}`
    case 'env':
      return `sees your variable ${permission.name}`
    case 'secret':
      return `gets your secret ${permission.name}`
    case 'exec':
      return `runs the program ${permission.name}`
    case 'socket':
      return `talks through the socket ${describeSocket(permission.path)}`
  }
}

function describeFiles(path: PermissionPath | null): string {
  if (path === null) return 'ALL your files, except secrets'
  if (path.base === 'argument') return `the file that the argument ${path.name} names`
  if (path.base === 'state') return 'files in a folder of its own'
  if (path.below !== '') return `files below ${showPermissionPath(path)}`
  return {
    workspace: 'files of the project',
    home: 'ALL files in your home folder, except secrets',
    root: 'ALL your files, except secrets',
  }[path.base]
}

function describeSocket(path: PermissionPath): string {
  return path.base === 'argument' ? `that the argument ${path.name} names` : showPermissionPath(path)
}

function describeHost(host: string | null, port: number | null): string {
  if (host === null) return 'ANY host'
  const name = host.startsWith('*.') ? `every host below ${host.slice(2)}` : host
  return port === null || port === 443 ? name : `${name} on port ${port}`
}

/** What a machine does not hold a package to, in a line for who has to accept it. */
export function describeUnenforced(unenforced: readonly string[]): string {
  return unenforced
    .map((what) => (what === 'network hosts' ? `${what} (it can reach EVERY host)` : what))
    .join(', ')
}
