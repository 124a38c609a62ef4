import { OrlaError, oneLine } from '../../model/index.ts'

/** A tag as git and Orla both take it: never an option, a range, or a path out of the folder of tags. */
export function checkTag(tag: string): string {
  const isFine =
    /^[A-Za-z0-9][A-Za-z0-9._+/-]*$/.test(tag) &&
    tag.length <= 200 &&
    !/\.\.|\/\/|\/\.|[./]$|\.lock(?:\/|$)/.test(tag)
  if (isFine) return tag
  throw new OrlaError('E_SOURCE', `${JSON.stringify(oneLine(tag.slice(0, 200)))} is not a tag`, {
    hint: 'tags look like v1.0.0',
  })
}

export function checkCommit(commit: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return commit
  throw new OrlaError('E_SOURCE', `${JSON.stringify(oneLine(commit.slice(0, 200)))} is not a commit`)
}

/** A file in a repository. */
export function checkFile(path: string): string {
  const isFine = /^[A-Za-z0-9_][A-Za-z0-9._/-]*$/.test(path) && !/\.\.|\/\//.test(path)
  if (isFine) return path
  throw new OrlaError(
    'E_SOURCE',
    `${JSON.stringify(oneLine(path.slice(0, 200)))} is not a file of a repository`,
  )
}
