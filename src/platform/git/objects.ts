import { createHash } from 'node:crypto'
import { OrlaError } from '../../model/index.ts'
import type { Git } from './git.ts'
import type { GitReading } from './reading.ts'

export interface GitObject {
  readonly id: string
  readonly type: string
  readonly content: Buffer
}

export interface ReadOptions {
  /** Told before the bytes of an object are taken; what it throws ends the reading. */
  readonly onSize: (size: number, index: number) => void
  readonly signal?: AbortSignal | undefined
}

/** The objects of one repository, all from one process. */
export interface ObjectReader {
  readonly repository: string
  /**
   * Objects by name, in that order; undefined for those the repository does not have. Names must have been
   * checked: a line break would be another name. One reading after the other, each to its end.
   */
  read(names: readonly string[], options: ReadOptions): AsyncIterable<GitObject | undefined>
  /** Only their sizes, from a second process; also while objects are read. */
  sizes(ids: readonly string[]): Promise<number[]>
}

/** The process ends with `use`. */
export async function withObjects<T>(
  git: Git,
  repository: string,
  use: (objects: ObjectReader) => Promise<T>,
): Promise<T> {
  const request = { doing: `read ${repository}`, repository }
  const reading = git.read(['cat-file', '--batch'], request)
  const measuring = () => git.read(['cat-file', '--batch-check=%(objectsize)'], request)
  try {
    return await use(createObjectReader(reading, measuring, repository))
  } finally {
    reading.leave()
  }
}

function createObjectReader(
  reading: GitReading,
  measuring: () => GitReading,
  repository: string,
): ObjectReader {
  async function readOne(index: number, { onSize }: ReadOptions): Promise<GitObject | undefined> {
    const head = await reading.line()
    if (/ (?:missing|ambiguous)$/.test(head)) return undefined
    const [, id = '', type = '', size = ''] = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(head) ?? []
    if (id === '') throw damaged(repository)
    onSize(Number(size), index)
    const content = await reading.bytes(Number(size))
    await reading.bytes(1) // a line break
    if (hashOf(type, content, id) !== id) throw damaged(repository)
    return { id, type, content }
  }

  return {
    repository,
    async *read(names, options) {
      const { signal } = options
      const abort = () => reading.abort()
      if (signal?.aborted) abort()
      signal?.addEventListener('abort', abort)
      try {
        reading.ask(asLines(names))
        for (const index of names.keys()) yield await readOne(index, options)
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
    async sizes(ids) {
      const second = measuring()
      second.ask(asLines(ids))
      const lines = (await second.rest()).toString().split('\n').slice(0, -1)
      const sizes = lines.map(Number)
      if (sizes.length !== ids.length || sizes.some(Number.isNaN)) throw damaged(repository)
      return sizes
    },
  }
}

function asLines(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('')
}

/** A few objects at once, none larger than `bytes`. */
export async function readAll(
  objects: ObjectReader,
  names: readonly string[],
  bytes: number,
  signal?: AbortSignal,
): Promise<(GitObject | undefined)[]> {
  const all: (GitObject | undefined)[] = []
  const onSize = (size: number, index: number) => {
    if (size > bytes)
      throw new OrlaError('E_UNSAFE_TREE', `${names[index]} of ${objects.repository} is too large`)
  }
  for await (const object of objects.read(names, { onSize, signal })) all.push(object)
  return all
}

export function damaged(repository: string): OrlaError {
  return new OrlaError('E_GIT_DAMAGED', `the repository in ${repository} is damaged`, {
    hint: '`orla cache clear` removes the cache; the next command makes it again',
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
