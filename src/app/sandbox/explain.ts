import { dirname } from 'node:path'
import type { Enforcement, SandboxNetwork, SandboxProfile } from '../../model/index.ts'
import { shortest } from '../../runtime/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { openSecrets } from '../secrets.ts'
import type { World } from '../world.ts'
import { openConfinement } from './open.ts'
import type { Prepared } from './prepare.ts'
import { findSubject } from './subject.ts'
import { grantedVariables, seenVariables } from './variables.ts'

/** What a tool will see when it runs, as `orla sandbox explain` tells it. */
export interface SandboxExplanation {
  readonly name: string
  readonly version: string
  /** Whether anything holds it; the operator's own tools run as they are. */
  readonly held: boolean
  readonly backend: Enforcement['backend'] | null
  /** Null for the profile of packages that name none. */
  readonly permissions: readonly string[] | null
  readonly files: readonly { readonly path: string; readonly access: string; readonly what: string }[]
  readonly network: readonly string[] | 'none' | 'any'
  readonly sockets: readonly string[]
  readonly programs: readonly string[]
  /** Names only. */
  readonly variables: readonly string[]
  readonly limits: Readonly<Record<string, number>>
  readonly enforced: readonly string[]
  readonly unenforced: readonly string[]
  /** Of a chain, which runs nothing itself: what it calls, each held by itself. */
  readonly calls: readonly string[]
  /** Why it would not start; null when it would. */
  readonly denied: string | null
}

export async function explainSandbox(
  world: World,
  request: ConfigRequest,
  name: string,
): Promise<SandboxExplanation> {
  const loaded = await loadConfig(world, request)
  const { subject, version, command, timeoutMs, calls = [] } = await findSubject(loaded, name)
  const { explain, unaccepted, close } = openConfinement(world, loaded)
  try {
    const denied = unaccepted(subject, version)
    const found = denied === undefined ? await explain(subject) : { denied }
    const own = subject.origin.kind === 'package' ? subject.origin.package.limits : {}
    const limits = {
      timeout_ms: shortest(
        timeoutMs ?? loaded.config.timeoutMs,
        own.timeoutMs,
        loaded.config.toolLimits.timeoutMs,
      ),
      output_bytes: Math.min(loaded.config.limits.outputBytes, own.outputBytes ?? Number.POSITIVE_INFINITY),
    }
    const variables = seenVariables(world, loaded, command, openSecrets(world, loaded).of)
    const base = { name, version, limits, calls, variables: Object.keys(variables).sort() }
    if (calls.length > 0) {
      return { ...base, ...NOT_HELD, network: 'none', variables: [], denied: denied ?? null }
    }
    if (found === undefined) return { ...base, ...NOT_HELD, denied: null }
    if (!('profile' in found)) return { ...base, ...NOT_HELD, held: true, denied: found.denied }
    const granted = grantedVariables(variables, subject.origin, found.held)
    return {
      ...base,
      ...heldBy(found, limits, subject.stays ?? false),
      variables: Object.keys({ ...granted, HOME: '', TMPDIR: '' }).sort(),
    }
  } finally {
    await close()
  }
}

const NOT_HELD = {
  held: false,
  backend: null,
  permissions: null,
  files: [],
  network: 'any',
  sockets: [],
  programs: [],
  enforced: [],
  unenforced: [],
} as const satisfies Partial<SandboxExplanation>

function heldBy(
  { profile, held, denied }: Prepared,
  limits: Readonly<Record<string, number>>,
  stays: boolean,
) {
  const { cpuMs, memoryBytes, processes, fileBytes } = profile.limits
  return {
    held: held.backend !== 'none',
    ...held,
    files: filesOf(profile, (path) => closedFor(profile, path, held.backend, stays)),
    network: networkOf(profile.network),
    sockets: profile.sockets,
    programs: profile.programs,
    limits: {
      ...limits,
      ...(cpuMs !== undefined && { cpu_ms: cpuMs }),
      ...(memoryBytes !== undefined && { memory_bytes: memoryBytes }),
      ...(processes !== undefined && { processes }),
      ...(fileBytes !== undefined && { file_bytes: fileBytes }),
    },
    denied: denied ?? null,
  }
}

function filesOf(profile: SandboxProfile, closed: (path: string) => string): SandboxExplanation['files'] {
  const { paths, package: own, state, argumentFiles, packageIsWritable } = profile
  const outer = (path: string) =>
    paths.some((other) => path !== other.path && path.startsWith(`${other.path}/`))
  return [
    { path: own, access: packageIsWritable ? 'write' : 'read', what: 'the package itself' },
    { path: state, access: 'write', what: 'its home, kept between calls' },
    ...paths.map(({ path, access }) => ({
      path,
      access,
      what: access !== 'write' && outer(path) ? 'protected' : `granted${closed(path)}`,
    })),
    ...argumentFiles.map(({ name, access }) => ({
      path: `arg:${name}`,
      access,
      what: 'the file that argument names, inside the project',
    })),
  ]
}

/**
 * A folder with protected parts is closed, so that none is made or exchanged. A draft stands for the top of the project
 * while a program runs that ends.
 */
function closedFor(
  { paths, workspace }: SandboxProfile,
  folder: string,
  backend: Enforcement['backend'],
  stays: boolean,
): string {
  const hasParts = paths.some(({ path, access }) => access !== 'write' && dirname(path) === folder)
  if (!hasParts || backend === 'none') return ''
  if (backend === 'bwrap' && folder === workspace && !stays)
    return '; what it makes directly in it is there when the call has ended'
  return '; nothing new directly in it'
}

function networkOf(network: SandboxNetwork): SandboxExplanation['network'] {
  return network.kind === 'hosts' ? network.hosts.map(({ host, port }) => `${host}:${port}`) : network.kind
}
