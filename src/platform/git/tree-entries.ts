import { OrlaError } from '../../model/index.ts'
import type { TreeLimits } from '../tree-bounds.ts'
import { damaged, type GitObject, type ObjectReader } from './objects.ts'

/** What is at one path of a commit that is not a folder. */
export interface TreeEntry {
  readonly kind: 'file' | 'program' | 'link' | 'submodule'
  readonly id: string
  readonly path: string
}

export interface ListOptions {
  /** What messages call the tree. */
  readonly source: string
  readonly limits: TreeLimits
  readonly signal?: AbortSignal | undefined
}

/** Of one entry: mode, hash and a name that is not longer than paths may be. */
const ENTRY_BYTES = 1_200
/** Of a commit: its message may be long, but not endless. */
const COMMIT_BYTES = 16 * 1024 * 1024

/** Everything a commit holds. Its folders are read level by level, each level in one go. */
export async function listEntries(
  objects: ObjectReader,
  commit: string,
  options: ListOptions,
): Promise<TreeEntry[]> {
  const { source, limits, signal } = options
  const entries: TreeEntry[] = []
  let bytesLeft = limits.entries * ENTRY_BYTES
  let foldersLeft = limits.entries

  async function* readAs(type: string, ids: readonly string[]): AsyncIterable<GitObject> {
    const onSize = (size: number) => {
      if (type === 'tree') bytesLeft -= size
      if (bytesLeft < 0 || (type === 'commit' && size > COMMIT_BYTES)) throw tooMany(source, limits)
    }
    for await (const object of objects.read(ids, { onSize, signal })) {
      if (object?.type !== type) throw damaged(objects.repository)
      yield object
    }
  }

  let level: { readonly id: string; readonly path: string }[] = []
  for await (const { content } of readAs('commit', [commit])) {
    const [, id] = /^tree ([0-9a-f]{40,64})\n/.exec(content.toString('latin1', 0, 80)) ?? []
    if (id === undefined) throw damaged(objects.repository)
    level.push({ id, path: '' })
  }
  while (level.length > 0) {
    const below: typeof level = []
    const folders = level.values()
    const ids = level.map(({ id }) => id)
    for await (const { content } of readAs('tree', ids)) {
      const { path: parent = '' } = folders.next().value ?? {}
      for (const { mode, name, id } of parseTree(content, commit.length / 2)) {
        const path = `${parent}${name}`
        const kind = kindOf(mode)
        if (kind === undefined || name === '') throw damaged(objects.repository)
        if (kind === 'folder') below.push({ id, path: `${path}/` })
        else entries.push({ kind, id, path })
        if (entries.length > limits.entries || below.length > foldersLeft) throw tooMany(source, limits)
      }
    }
    foldersLeft -= below.length
    level = below
  }
  return entries
}

function tooMany(source: string, { entries }: TreeLimits): OrlaError {
  return new OrlaError('E_UNSAFE_TREE', `${source} has more than ${entries} entries`)
}

interface RawEntry {
  readonly mode: string
  readonly name: string
  readonly id: string
}

/** `MODE NAME`, a zero byte and the bytes of a hash, again and again. What does not fit comes without a mode. */
function* parseTree(content: Buffer, hashBytes: number): Iterable<RawEntry> {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const zero = content.indexOf(0, at)
    const end = zero + 1 + hashBytes
    const isWhole = space !== -1 && space < zero && end <= content.length
    yield {
      mode: isWhole ? content.toString('latin1', at, space) : '',
      name: content.toString('utf8', space + 1, zero),
      id: content.toString('hex', zero + 1, end),
    }
    at = end
  }
}

/** As git itself reads modes, which old versions wrote in several spellings. */
function kindOf(mode: string): TreeEntry['kind'] | 'folder' | undefined {
  if (!/^[0-7]{1,8}$/.test(mode)) return undefined
  const bits = Number.parseInt(mode, 8)
  switch (bits & 0o170000) {
    case 0o100000:
      return bits & 0o100 ? 'program' : 'file'
    case 0o120000:
      return 'link'
    case 0o040000:
      return 'folder'
    default:
      return 'submodule'
  }
}
