import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { OrlaError } from '../../model/index.ts'
import { openStaging, sweepStaging } from '../staging.ts'
import type { Git } from './git.ts'
import { isDamage } from './objects.ts'
import { forgetPlainObjects } from './plain-objects.ts'
import type { Remote } from './remote.ts'
import { forgetTags } from './tag-list.ts'

/**
 * Brings refs of a repository, without history, into a bare one, which is made when it is not there. A bare one
 * that cannot take them is damaged (or has a lock of a killed git in it): it is replaced by a new one, when that
 * one is complete. Under the lock of the repository.
 */
export async function fetchInto(
  git: Git,
  remote: Remote,
  repository: string,
  refspec: string,
  /** Known to be damaged, where a fetch would not notice. */
  isDamaged = false,
): Promise<void> {
  if (existsSync(repository) && !isDamaged) {
    try {
      forgetTags(repository)
      forgetPlainObjects(repository)
      await fetchRefs(git, remote, repository, refspec)
      return
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  }
  const root = dirname(repository)
  sweepStaging(root)
  const staging = openStaging(root)
  try {
    await git.run(['init', '--quiet', '--bare', '--template=', '--', staging.dir], {
      doing: `make a copy of ${remote.url}`,
    })
    await fetchRefs(git, remote, staging.dir, refspec)
    await staging.commit(repository)
  } finally {
    staging.discard()
  }
}

async function fetchRefs(git: Git, remote: Remote, repository: string, refspec: string): Promise<void> {
  const fetch = (...options: readonly string[]) =>
    git.run(['fetch', '--quiet', ...options, ...ALWAYS, '--', remote.url, refspec], {
      doing: `fetch ${remote.url}`,
      repository,
      remote,
      mayBeNothing: true,
    })
  try {
    await fetch('--depth=1', '--update-shallow')
  } catch (error) {
    // A host that only hands out files cannot leave out the history.
    if (!(error instanceof OrlaError && error.message.includes(ONLY_FILES))) throw error
    await fetch()
  }
}

const ALWAYS = ['--force', '--no-tags', '--no-recurse-submodules']
const ONLY_FILES = 'dumb http transport does not support shallow'
