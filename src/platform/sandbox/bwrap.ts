import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SandboxProfile } from '../../model/index.ts'
import { realPath } from '../files.ts'
import type { OpenRequest } from '../process/starter.ts'
import { splitEnvironment } from './bwrap-environment.ts'
import { rootWords } from './bwrap-root.ts'
import type { HostWay } from './host-way.ts'
import type { SeenPath } from './look.ts'
import { ownEnvironment, temporaryFolder, workingFolder } from './look.ts'
import { pinnedPath } from './pin.ts'
import type { SyntheticFiles } from './synthetic-files.ts'
import { covering } from './within.ts'

/** What a sandbox may change about a request. */
export type Program = Pick<OpenRequest, 'file' | 'args' | 'cwd' | 'env'>

export interface BwrapOptions {
  readonly bwrap: string
  /** Whether it takes folders by descriptor. */
  readonly pins: boolean
  /** Whether a program can be asked to leave before it is killed. */
  readonly graceful: boolean
  readonly files: SyntheticFiles
  /** A person sits before it: it keeps their terminal, which the filter lets nobody type into. */
  readonly terminal?: boolean | undefined
  /** The way to single hosts, for a profile that names some. */
  readonly way?: HostWay | undefined
}

/** The program wrapped: a new root in new namespaces with what the profile names. */
export function wrapWithBwrap(
  program: Program,
  profile: SandboxProfile,
  seen: readonly SeenPath[],
  options: BwrapOptions,
): Program {
  const { bwrap, pins, graceful, files, way, terminal = false } = options
  const { own, handed } = splitEnvironment(
    ownEnvironment(program.env, profile, hasOwnRoot(seen) ? '/tmp' : temporaryFolder(profile)),
  )
  const held = pins ? seen.filter(({ descriptor }) => descriptor !== undefined).slice(0, MOST_HELD) : []
  // The relay must reach the host's side of the way, and there is no telling the two apart.
  const filter = profile.sockets.length > 0 || way !== undefined ? files.filterWithUnix : files.filter
  // env takes what has such a sign for a variable.
  const isAsked = graceful && !program.file.includes('=')
  const asked = !isAsked ? [] : terminal ? ['INT', 'QUIT', 'TERM'] : ['TERM']
  const [file, ...args] = prepared({ held, asked, filter }, [
    bwrap,
    ...namespaceWords(profile, way),
    ...(terminal && filter !== undefined ? [] : ['--new-session']),
    ...(filter === undefined ? [] : ['--seccomp', String(FILTER)]),
    ...rootWords(profile, seen, options),
    ...seen.flatMap((entry) => pathWords(entry, seen, held.indexOf(entry), files)),
    ...profile.sockets.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(way === undefined
      ? []
      : [
          '--ro-bind',
          way.folder,
          way.folder,
          '--ro-bind',
          way.hostsFile,
          '/etc/hosts',
          ...resolverWords(way, seen),
        ]),
    ...closedFolders(seen).flatMap((path) => ['--remount-ro', path]),
    ...(way?.addresses ? [] : Object.entries(handed).flatMap(([name, value]) => ['--setenv', name, value])),
    '--chdir',
    workingFolder(program.cwd, seen, profile),
    '--',
    ...(way === undefined ? [] : wayWords(way, handed)),
    ...(isAsked ? ['/usr/bin/env', `--default-signal=${asked.join(',')}`] : []),
    program.file,
    ...program.args,
  ])
  return { file, args, cwd: '/', env: own }
}

/** What steers the loader is handed on once the right over the network is given up. */
function wayWords(
  { addresses, command }: HostWay,
  handed: Readonly<Record<string, string>>,
): readonly string[] {
  if (addresses === undefined) return command
  return [
    ...addresses,
    '--',
    ...Object.entries(handed).map(([name, value]) => `${name}=${value}`),
    '--',
    ...command,
  ]
}

/**
 * On a link nothing can be mounted: who sees the whole disk finds the file behind it. Where there is none, or only in a
 * folder that is the sandbox's own, programs ask inside by themselves.
 */
function resolverWords({ resolverFile }: HostWay, seen: readonly SeenPath[]): readonly string[] {
  if (resolverFile === undefined) return []
  if (hasOwnRoot(seen)) return ['--ro-bind', resolverFile, RESOLVER]
  const file = realPath(RESOLVER)
  const isThere = existsSync(file) && !/^\/(?:proc|dev)\//.test(file)
  return isThere ? ['--ro-bind', resolverFile, file] : []
}

const RESOLVER = '/etc/resolv.conf'

function namespaceWords({ network }: SandboxProfile, way: HostWay | undefined): readonly string[] {
  return [
    '--unshare-all',
    ...(network.kind === 'none' || way !== undefined ? [] : ['--share-net']),
    '--unshare-user',
    // Listening at the ports of hosts takes a right over the network of the sandbox, which is lost with a second
    // namespace of users; there the filter alone denies making more of them.
    ...(way === undefined ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...(way === undefined ? [] : ['--cap-add', 'CAP_NET_BIND_SERVICE']),
    ...(way?.addresses ? ['--cap-add', 'CAP_NET_ADMIN'] : []),
    '--hostname',
    'tool',
  ]
}

/** Made for the sandbox alone. Closed at the end, when everything below them has its place. */
function closedFolders(seen: readonly SeenPath[]): readonly string[] {
  const hidden = seen.filter(({ access, kind }) => access === 'hidden' && kind === 'folder')
  const made = hidden.map(({ path }) => path)
  return hasOwnRoot(seen) ? [...made, '/'] : made
}

/** Who may see the whole disk has the host's. */
function hasOwnRoot(seen: readonly SeenPath[]): boolean {
  return !seen.some(({ path }) => path === '/')
}

/** All mount points exist already, or lie in the new root: nothing is made in a folder of the host. */
function pathWords(
  entry: SeenPath,
  seen: readonly SeenPath[],
  held: number,
  files: SyntheticFiles,
): readonly string[] {
  const { path, access, kind, alias, mayBeGone, source = path } = entry
  if (path === '/') return []
  if (access === 'hidden') {
    return kind === 'file' ? ['--ro-bind', files.empty, path] : ['--perms', '0555', '--tmpfs', path]
  }
  const verb = access === 'write' ? '--bind' : '--ro-bind'
  const bind =
    held < 0
      ? [mayBeGone ? `${verb}-try` : verb, source, path]
      : [`${verb}-fd`, String(FIRST_HELD + held), path]
  const isFree = alias !== undefined && covering(seen, dirname(alias)) === undefined
  return isFree ? [...bind, '--symlink', path, alias] : bind
}

/** A POSIX shell opens descriptors of one digit only, and the first three are the program's. */
const FIRST_HELD = 3
const MOST_HELD = 6
const FILTER = 9

interface Preparation {
  readonly held: readonly SeenPath[]
  /** Signals that are for the program alone. */
  readonly asked: readonly string[]
  readonly filter: string | undefined
}

/**
 * A shell does three things before it becomes bwrap. It opens what we hold, by the handle and not by its path. It opens
 * the filter. And it ignores TERM, which would end bwrap and with it everything inside; the program gets TERM back. On a
 * terminal the same goes for the keys that end what runs.
 */
function prepared(
  { held, asked, filter }: Preparation,
  words: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const opened = held.map(({ descriptor = -1 }, index) => ` ${FIRST_HELD + index}<${pinnedPath(descriptor)}`)
  const filtered = filter === undefined ? '' : ` ${FILTER}<"$0"`
  const text = `${asked.length > 0 ? `trap '' ${asked.join(' ')}; ` : ''}exec "$@"${filtered}${opened.join('')}`
  return ['/bin/sh', '-c', text, filter ?? 'sh', ...words]
}
