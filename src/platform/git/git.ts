import { OrlaError } from '../../model/index.ts'
import { createNodeStarter } from '../process/node-starter.ts'
import type { ProcessEnd, ProcessStarter } from '../process/starter.ts'
import { findProgram } from '../programs.ts'
import { GIT_SETTINGS, gitEnvironment } from './environment.ts'
import { gitFailure } from './failure.ts'
import { type GitCommand, type GitReading, startReading } from './reading.ts'
import type { Remote } from './remote.ts'

/** The system's git, so that nothing a repository or a configuration says makes it run anything else. */
export interface Git {
  /** Standard output of a command that succeeded. */
  run(args: readonly string[], request: GitRequest): Promise<Buffer>
  /** Starts a command that only reads a repository, and does not wait for it. */
  read(args: readonly string[], request: ReadRequest): GitReading
}

export interface GitRequest {
  /** For messages: `cannot read the tags of URL`. */
  readonly doing: string
  /** The repository to work in; without it none, wherever the process was started. */
  readonly repository?: string
  /** For commands that go to the network. */
  readonly remote?: Remote
  readonly stdin?: string
  readonly outputBytes?: number
  readonly signal?: AbortSignal
  /** Status 1 without a word means that nothing matched, and that is an answer. */
  readonly mayBeNothing?: boolean
}

export interface ReadRequest extends Pick<GitRequest, 'doing' | 'mayBeNothing'> {
  readonly repository: string
}

export interface GitDeps {
  readonly env: Readonly<Record<string, string>>
  /** Its own when none is given; that one needs no closing. */
  readonly starter?: Pick<ProcessStarter, 'run'>
}

/** Loaded with the first question to another machine: what is local needs none of it. */
async function refuseRemote(remote: Remote): Promise<void> {
  await (await import('./refuse-host.ts')).refuseHost(remote)
}

const NETWORK_TIMEOUT_MS = 300_000
const LOCAL_TIMEOUT_MS = 60_000
const GRACE_MS = 1_000
const OUTPUT_BYTES = 32 * 1024 * 1024

export function createGit({ env, starter }: GitDeps): Git {
  let program: string | undefined
  // Made when something needs it: to read what is cached nothing does.
  let own: GitDeps['starter'] = starter
  let ssh: Promise<Readonly<Record<string, string>>> | undefined

  function find(): string {
    program ??= findProgram('git', env.PATH ?? '/usr/local/bin:/usr/bin:/bin', '/')
    if (program !== undefined) return program
    throw new OrlaError('E_GIT_MISSING', 'there is no git on PATH', {
      hint: 'install it: apt install git, dnf install git, or xcode-select --install',
    })
  }

  function commandOf(args: readonly string[], { repository, remote }: GitRequest): GitCommand {
    return {
      file: find(),
      args: [...GIT_SETTINGS, ...(repository === undefined ? [] : [`--git-dir=${repository}`]), ...args],
      env: gitEnvironment(env, remote),
    }
  }

  function start(
    args: readonly string[],
    request: GitRequest,
    more?: Readonly<Record<string, string>>,
  ): Promise<ProcessEnd> {
    const { remote, stdin = '', outputBytes = OUTPUT_BYTES } = request
    const { env: plain, ...command } = commandOf(args, request)
    own ??= createNodeStarter()
    return own.run({
      ...command,
      env: { ...plain, ...more },
      // Not where the process was started: that could be a repository with a configuration of its own.
      cwd: '/',
      stdin,
      timeoutMs: remote === undefined ? LOCAL_TIMEOUT_MS : (remote.timeoutMs ?? NETWORK_TIMEOUT_MS),
      graceMs: GRACE_MS,
      outputBytes,
      signal: request.signal ?? remote?.signal ?? new AbortController().signal,
    })
  }

  /** Also for web addresses: many let git take ssh in their place. */
  async function findSsh(): Promise<Readonly<Record<string, string>>> {
    const { SSH_SETTINGS, sshVariables } = await import('./ssh-command.ts')
    const { stdout } = await start(['config', '--get-regexp', SSH_SETTINGS], { doing: 'read settings' })
    return sshVariables(env, stdout.toString())
  }

  return {
    read: (args, request) => startReading(commandOf(args, request), request),
    async run(args, request) {
      const isFar = request.remote !== undefined && request.remote.kind !== 'file'
      if (isFar) {
        await refuseRemote(request.remote)
        ssh ??= findSsh()
      }
      const end = await start(args, request, isFar ? await ssh : undefined)
      if (end.cause === 'exit' && end.exitCode === 0) return end.stdout
      const isNothing = end.cause === 'exit' && end.exitCode === 1 && end.stderr.length === 0
      if (request.mayBeNothing && isNothing) return end.stdout
      throw gitFailure(end, request)
    },
  }
}
