import type { Git } from './git.ts'
import { type RemoteOptions, toRemote } from './remote.ts'

export interface TagCommit {
  readonly tag: string
  readonly commit: string
}

/** The tags of a repository, as it answers now. An annotated tag stands for the commit behind it. */
export async function listTags(
  git: Git,
  url: string,
  options: RemoteOptions = {},
): Promise<readonly TagCommit[]> {
  const remote = toRemote(url, options)
  const output = await git.run(['ls-remote', '--quiet', '--tags', '--', remote.url], {
    doing: `read the tags of ${remote.url}`,
    remote,
  })
  return readTags(output.toString())
}

/** Lines of `HASH<tab or space>refs/tags/NAME`; `NAME^{}` is the commit behind an annotated one. */
export function readTags(text: string): TagCommit[] {
  const commits = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, hash, name, peeled] = /^([0-9a-f]{40,64})[\t ]refs\/tags\/(.+?)(\^\{\})?$/.exec(line) ?? []
    if (hash !== undefined && name !== undefined && (peeled !== undefined || !commits.has(name)))
      commits.set(name, hash)
  }
  return [...commits].map(([tag, commit]) => ({ tag, commit }))
}
