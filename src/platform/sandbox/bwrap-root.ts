import { existsSync, readlinkSync } from 'node:fs'
import type { SandboxProfile } from '../../model/index.ts'
import type { HostWay } from './host-way.ts'
import type { SeenPath } from './look.ts'
import type { SyntheticFiles } from './synthetic-files.ts'
import { NETWORK_SETTINGS, SYSTEM_FOLDERS, SYSTEM_SETTINGS } from './system-files.ts'

/** A root that has what nearly every program needs of the system, or the whole disk for who may see that. */
export function rootWords(
  profile: SandboxProfile,
  seen: readonly SeenPath[],
  { files, way }: { readonly files: SyntheticFiles; readonly way?: HostWay | undefined },
): readonly string[] {
  const whole = seen.find(({ path }) => path === '/')
  const size = ['--size', String(TEMPORARY_BYTES)]
  const devices = way === undefined ? ['--dev', '/dev'] : FEW_DEVICES
  const kernel = ['--proc', '/proc', ...devices, ...size, '--tmpfs', '/dev/shm']
  if (whole !== undefined) return [whole.access === 'write' ? '--bind' : '--ro-bind', '/', '/', ...kernel]
  const network = profile.network.kind === 'none' || way !== undefined ? [] : NETWORK_SETTINGS
  systemWords ??= SYSTEM_FOLDERS.flatMap(systemFolder)
  return [
    ...systemWords,
    ...SYSTEM_SETTINGS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...Object.entries(files.etc).flatMap(([path, source]) =>
      network.includes(path) ? [] : ['--ro-bind', source, path],
    ),
    ...network.flatMap((path) => ['--ro-bind-try', path, path]),
    ...kernel,
    ...size,
    '--tmpfs',
    '/tmp',
  ]
}

/** Its own temporary files and shared memory take no more than this each. */
const TEMPORARY_BYTES = 256 * 1024 * 1024

/** As bwrap makes them, without terminals: those would take a second namespace of users. */
const FEW_DEVICES: readonly string[] = [
  '--tmpfs',
  '/dev',
  ...['null', 'zero', 'full', 'random', 'urandom'].flatMap((name) => [
    '--dev-bind',
    `/dev/${name}`,
    `/dev/${name}`,
  ]),
  '--symlink',
  '/proc/self/fd',
  '/dev/fd',
  ...['stdin', 'stdout', 'stderr'].flatMap((name, index) => [
    '--symlink',
    `/proc/self/fd/${index}`,
    `/dev/${name}`,
  ]),
]

/** The same for every program: looked up once. */
let systemWords: readonly string[] | undefined

/** Where /bin is a link into /usr it stays one. */
function systemFolder(path: string): readonly string[] {
  if (!existsSync(path)) return []
  try {
    return ['--symlink', readlinkSync(path), path]
  } catch {
    return ['--ro-bind', path, path]
  }
}
