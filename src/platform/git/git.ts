import { OrlaError } from '../../model/index.ts'
import { createNodeStarter } from '../process/node-starter.ts'
import type { ProcessStarter } from '../process/starter.ts'
import { findProgram } from '../programs.ts'
import { GIT_SETTINGS, gitEnvironment } from './environment.ts'
import { gitFailure } from './failure.ts'
import type { Remote } from './remote.ts'

/** The system's git, so that nothing a repository or a configuration says makes it run anything else. */
export interface Git {
  /** Standard output of a command that succeeded. */
  run(args: readonly string[], request: GitRequest): Promise<Buffer>
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

export interface GitDeps {
  readonly env: Readonly<Record<string, string>>
  /** Its own when none is given; that one needs no closing. */
  readonly starter?: ProcessStarter
}

const NETWORK_TIMEOUT_MS = 300_000
const LOCAL_TIMEOUT_MS = 60_000
const GRACE_MS = 1_000
const OUTPUT_BYTES = 32 * 1024 * 1024

export function createGit({ env, starter = createNodeStarter() }: GitDeps): Git {
  let program: string | undefined

  function find(): string {
    program ??= findProgram('git', env.PATH ?? '/usr/local/bin:/usr/bin:/bin', '/')
    if (program !== undefined) return program
    throw new OrlaError('E_GIT_MISSING', 'there is no git on PATH', {
      hint: 'Install it: apt install git, dnf install git, or xcode-select --install.',
    })
  }

  return {
    async run(args, request) {
      const { remote, repository, stdin = '', outputBytes = OUTPUT_BYTES } = request
      const signal = request.signal ?? remote?.signal ?? new AbortController().signal
      const end = await starter.run({
        file: find(),
        args: [...GIT_SETTINGS, ...(repository === undefined ? [] : [`--git-dir=${repository}`]), ...args],
        // Not where the process was started: that could be a repository with a configuration of its own.
        cwd: '/',
        env: gitEnvironment(env, remote),
        stdin,
        timeoutMs: remote === undefined ? LOCAL_TIMEOUT_MS : (remote.timeoutMs ?? NETWORK_TIMEOUT_MS),
        graceMs: GRACE_MS,
        outputBytes,
        signal,
      })
      if (end.cause === 'exit' && end.exitCode === 0) return end.stdout
      const isNothing = end.cause === 'exit' && end.exitCode === 1 && end.stderr.length === 0
      if (request.mayBeNothing && isNothing) return end.stdout
      throw gitFailure(end, request)
    },
  }
}
