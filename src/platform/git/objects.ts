import { OrlaError } from '../../model/index.ts'
import type { Git } from './git.ts'
import { isNamed } from './hash.ts'
import { openPacks, type Packs } from './packs.ts'
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

/** The objects of one repository, from its files, or all from one process. */
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
  let reading: GitReading | undefined
  const start = () => {
    reading ??= git.read(['cat-file', '--batch'], request)
    return reading
  }
  const measuring = () => git.read(['cat-file', '--batch-check=%(objectsize)'], request)
  try {
    const packs = openPacks(repository)
    const result = await use(createObjectReader(packs, start, measuring, repository))
    packs.keep()
    return result
  } finally {
    reading?.leave()
  }
}

function createObjectReader(
  packs: Packs,
  start: () => GitReading,
  measuring: () => GitReading,
  repository: string,
): ObjectReader {
  async function readNext(index: number, { onSize }: ReadOptions): Promise<GitObject | undefined> {
    const reading = start()
    const head = await reading.line()
    if (/ (?:missing|ambiguous)$/.test(head)) return undefined
    const [, id = '', type = '', size = ''] = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(head) ?? []
    if (id === '') throw damaged(repository)
    onSize(Number(size), index)
    const content = await reading.bytes(Number(size))
    await reading.bytes(1) // a line break
    // git does not check what it reads back from its own files.
    if (!isNamed(id, type, content)) throw damaged(repository)
    return { id, type, content }
  }

  async function* readWithGit(names: readonly string[], options: ReadOptions, from = 0) {
    const { signal } = options
    const abort = () => start().abort()
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    try {
      start().ask(asLines(names))
      for (const index of names.keys()) yield await readNext(from + index, options)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  return {
    repository,
    async *read(names, options) {
      const found = names.map((name) => packs.find(name))
      if (found.includes(undefined) || options.signal?.aborted) {
        yield* readWithGit(names, options)
        return
      }
      for (const [index, name] of names.entries()) {
        const object = options.signal?.aborted ? undefined : found[index]?.()
        if (object !== undefined) options.onSize(object.size, index)
        const content = object?.content()
        if (object !== undefined && content !== undefined) yield { id: object.id, type: object.type, content }
        else {
          const told = object === undefined ? options : toldBefore(options, object.size, repository)
          yield* readWithGit([name], told, index)
        }
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

/** For what was told before, and is not to be counted twice. */
function toldBefore(options: ReadOptions, told: number, repository: string): ReadOptions {
  const onSize = (size: number) => {
    if (size !== told) throw damaged(repository)
  }
  return { ...options, onSize }
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
