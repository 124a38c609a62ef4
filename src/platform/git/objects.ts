import { createHash } from 'node:crypto'
import { OrlaError } from '../../model/index.ts'
import type { Git } from './git.ts'

export interface GitObject {
  readonly id: string
  readonly type: string
  readonly content: Buffer
}

/**
 * Objects of a repository by name, in one process; undefined for those it does not have. Names must have been
 * checked: a line break would be another name.
 */
export async function readObjects(
  git: Git,
  repository: string,
  names: readonly string[],
  outputBytes: number,
  signal?: AbortSignal,
): Promise<(GitObject | undefined)[]> {
  if (names.length === 0) return []
  const output = await git.run(['cat-file', '--batch'], {
    doing: `read ${repository}`,
    repository,
    stdin: `${names.join('\n')}\n`,
    outputBytes: outputBytes + names.length * OVERHEAD_BYTES,
    ...(signal === undefined ? {} : { signal }),
  })
  let at = 0
  return names.map(() => {
    const end = output.indexOf(0x0a, at)
    const head = output.subarray(at, end).toString()
    at = end + 1
    if (end !== -1 && / (?:missing|ambiguous)$/.test(head)) return undefined
    const [, id = '', type = '', size = ''] = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(head) ?? []
    const content = output.subarray(at, at + Number(size))
    at += content.length + 1
    if (content.length !== Number(size) || hashOf(type, content, id) !== id) throw damaged(repository)
    return { id, type, content }
  })
}

/** The head line of an answer, or the name that comes back when there is none. */
const OVERHEAD_BYTES = 512

export function damaged(repository: string): OrlaError {
  return new OrlaError('E_GIT_DAMAGED', `the repository in ${repository} is damaged`, {
    hint: 'orla cache clear removes the cache; the next command rebuilds it.',
  })
}

export function isDamage(error: unknown): boolean {
  return error instanceof OrlaError && error.code === 'E_GIT_DAMAGED'
}

/** git does not check what it reads back from its own files. */
function hashOf(type: string, content: Buffer, id: string): string {
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`${type} ${content.length}\0`).update(content).digest('hex')
}
