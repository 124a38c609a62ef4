import { OrlaError, oneLine } from '../../model/index.ts'
import type { Git } from './git.ts'

/** A checkout someone works in. */
export interface WorkingCopy {
  /** undefined when it is no repository, or one without a commit. */
  state(tag: string): Promise<WorkingCopyState | undefined>
  /** An annotated tag at the current commit; signed, when there is a file with an OpenSSH private key. */
  tag(name: string, message: string, keyFile?: string): Promise<void>
}

export interface WorkingCopyState {
  readonly commit: string
  /** Files that differ from the commit, and new ones. */
  readonly changes: readonly string[]
  /** The commit behind the tag, when there is one of that name. */
  readonly tagCommit: string | undefined
  /** Where it is pushed to. */
  readonly remote: string | undefined
}

export function openWorkingCopy(git: Git, folder: string): WorkingCopy {
  const run = async (doing: string, ...args: string[]) =>
    (await git.run(['-C', folder, ...args], { doing: `${doing} ${folder}` })).toString().trim()
  const ask = async (...args: string[]) => {
    try {
      return await run('look at', ...args)
    } catch (error) {
      if (error instanceof OrlaError && error.code !== 'E_GIT_MISSING') return undefined
      throw error
    }
  }
  return {
    async state(tag) {
      const commit = await ask('rev-parse', '--verify', 'HEAD^{commit}')
      if (commit === undefined) return undefined
      await refusePrograms(folder, ask)
      const status = await run('look at', 'status', '--porcelain', '--ignore-submodules=dirty', '--', '.')
      return {
        commit,
        changes: status === '' ? [] : status.split('\n').map((line) => line.slice(2).trim()),
        tagCommit: await ask('rev-parse', '--verify', `refs/tags/${tag}^{commit}`),
        remote: await ask('remote', 'get-url', 'origin'),
      }
    },
    async tag(name, message, keyFile) {
      const key = keyFile === undefined ? [] : ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${keyFile}`]
      const kind = keyFile === undefined ? '-a' : '-s'
      await run('tag', ...(await identity(ask)), ...key, 'tag', kind, '-m', message, '--', name)
    },
  }
}

/** What git would run when it compares files or makes a tag. */
const PROGRAMS = '^(filter\\..*\\.(clean|process)|gpg\\.(.*\\.)?program|gpg\\.ssh\\.defaultkeycommand)$'

/** A folder someone unpacked may bring a configuration in its `.git`; programs are named by a person's own alone. */
async function refusePrograms(
  folder: string,
  ask: (...args: string[]) => Promise<string | undefined>,
): Promise<void> {
  for (const scope of ['--local', '--worktree']) {
    const found = await ask('config', scope, '--includes', '--name-only', '--get-regexp', PROGRAMS)
    if (!found) continue
    const keys = [...new Set(found.split('\n'))].map((key) => oneLine(key.slice(0, 200)))
    throw new OrlaError(
      'E_REFUSED',
      `the configuration in ${folder} makes git run programs: ${keys.join(', ')}`,
      {
        hint: 'if they are yours, set them with `git config --global` and remove them from .git/config',
      },
    )
  }
}

/** A new repository with everything in the folder as its first commit. */
export async function initRepository(git: Git, folder: string, message: string): Promise<void> {
  const run = async (...args: string[]) =>
    (await git.run(['-C', folder, ...args], { doing: `make a repository in ${folder}` })).toString().trim()
  await run('init', '-q')
  await run('add', '-A')
  const ask = async (...args: string[]) => run(...args).catch(() => undefined)
  await run(...(await identity(ask)), 'commit', '-q', '-m', message)
}

/** Someone without a name in their git configuration can still make a commit. */
async function identity(ask: (...args: string[]) => Promise<string | undefined>): Promise<string[]> {
  if (await ask('config', 'user.email')) return []
  return ['-c', 'user.name=orla', '-c', 'user.email=orla@localhost']
}
