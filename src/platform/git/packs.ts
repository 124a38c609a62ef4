import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFolder } from '../files.ts'
import { isNamed } from './hash.ts'
import { openPackFile, type PackedObject, type PackFile } from './pack-file.ts'
import { openPlainObjects, type PlainObject } from './plain-objects.ts'

/** The object that a name leads to. Its content is what its id says, or undefined. */
export interface FoundObject extends PackedObject {
  readonly id: string
}

/**
 * The objects of a bare copy, straight from its files: starting git takes longer than reading a small package.
 * Knows only what our copies are made of; whoever is told undefined asks git.
 */
export interface Packs {
  /** An answer means that the object is there, not yet that it can be read. */
  find(name: string): (() => FoundObject | undefined) | undefined
  /** When all went well: the next one reads the same. */
  keep(): void
}

export function openPacks(repository: string): Packs {
  const plain = openPlainObjects(repository)
  const refs = new Map<string, string | undefined>()
  let packs: readonly PackFile[] | undefined

  function files(): readonly PackFile[] {
    packs ??= packsIn(join(repository, 'objects/pack'))
    return packs
  }

  function findId(id: string): (() => FoundObject | undefined) | undefined {
    const known = plain.find(id)
    if (known !== undefined) return () => asFound(id, known)
    for (const pack of files()) {
      const offset = pack.offsetOf(id)
      if (offset !== undefined) return () => checked(id, pack.objectAt(offset))
    }
    return undefined
  }

  function checked(id: string, object: PackedObject | undefined): FoundObject | undefined {
    return (
      object && {
        ...object,
        id,
        content() {
          const known = plain.find(id)
          if (known !== undefined) return known.content
          const content = object.content()
          if (content === undefined || !isNamed(id, object.type, content)) return undefined
          plain.add(id, { type: object.type, content })
          return content
        },
      }
    )
  }

  /** One and the same for all questions, whoever fetches meanwhile. */
  function idOf(ref: string): string | undefined {
    if (!refs.has(ref)) refs.set(ref, readRef(repository, ref))
    return refs.get(ref)
  }

  /** What a tag, or a tag of a tag, is on. */
  function commitBehind(id: string): (() => FoundObject | undefined) | undefined {
    let find = findId(id)
    for (let step = 0; step < LONGEST_CHAIN; step++) {
      const object = find?.()
      if (object?.type === 'commit') return find
      if (object?.type !== 'tag') return undefined
      const [, next] =
        /^object ([0-9a-f]{40})\n/.exec(object.content()?.toString('latin1', 0, 50) ?? '') ?? []
      find = next === undefined ? undefined : findId(next)
    }
    return undefined
  }

  return {
    find(name) {
      if (/^[0-9a-f]{40}$/.test(name)) return findId(name)
      const [, ref, behind] = /^(refs\/tags\/[^:^]+)(\^\{commit\})?$/.exec(name) ?? []
      const id = ref === undefined ? undefined : idOf(ref)
      if (id === undefined) return undefined
      return behind === undefined ? findId(id) : commitBehind(id)
    },
    keep: () => plain.keep(),
  }
}

const LONGEST_CHAIN = 10

function packsIn(folder: string): PackFile[] {
  try {
    return listFolder(folder).flatMap((name) =>
      /^pack-[0-9a-f]+\.idx$/.test(name) ? (openPackFile(join(folder, name.slice(0, -4))) ?? []) : [],
    )
  } catch {
    return [] // git says what is wrong with it
  }
}

function asFound(id: string, { type, content }: PlainObject): FoundObject {
  return { id, type, size: content.length, content: () => content }
}

/** A file of its own wins over the list of those that were packed. */
function readRef(repository: string, ref: string): string | undefined {
  const own = readIfThere(join(repository, ref))
  if (own !== undefined) return /^([0-9a-f]{40})\n$/.exec(own)?.[1]
  const line = readIfThere(join(repository, 'packed-refs'))
    ?.split('\n')
    .find((one) => one.slice(41) === ref)
  return line === undefined ? undefined : /^[0-9a-f]{40}(?= )/.exec(line)?.[0]
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}
