import { join } from 'node:path'
import { readTextIfThere, removeFile, writeFileAtomic } from '../files.ts'
import type { Git } from './git.ts'
import { readTags, type TagCommit } from './list-tags.ts'

/** In the copy itself, so that it goes where the copy goes. */
const FILE = 'orla-tags'

/** The tags of a copy as they were after its last fetch, if someone asked since. Needs no lock. */
export function rememberedTags(repository: string): readonly TagCommit[] | undefined {
  const text = readTextIfThere(join(repository, FILE))
  return text === undefined ? undefined : readTags(text)
}

/** Asks git, and remembers the answer: a process takes longer than a file. Under the lock of the repository. */
export async function askTags(git: Git, repository: string): Promise<readonly TagCommit[]> {
  const request = { doing: `read the tags in ${repository}`, repository, mayBeNothing: true }
  const text = (await git.read(['show-ref', '--tags', '--dereference'], request).rest()).toString()
  try {
    writeFileAtomic(join(repository, FILE), text)
  } catch {
    // A full disk or a cache that is read-only: git is asked again next time.
  }
  return readTags(text)
}

/** Before a fetch, under the lock of the repository: what is killed in the middle leaves nothing outdated. */
export function forgetTags(repository: string): void {
  removeFile(join(repository, FILE))
}
