import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePath } from '../make-path.ts'
import { uniqueName } from '../unique-name.ts'
import { isNamed } from './hash.ts'

export interface PlainObject {
  readonly type: string
  readonly content: Buffer
}

/**
 * The objects that someone read before, as they are: unpacking a small package takes less time than loading what can.
 * Nothing here is relied on. Each object is compared with its name, and what is missing, torn or damaged is taken from
 * the packs and kept anew.
 */
export interface PlainObjects {
  /** The first one that is asked for tells which ones belong together. */
  find(id: string): PlainObject | undefined
  /** Taken from elsewhere, and compared with its name. */
  add(id: string, object: PlainObject): void
  /** For the next time: all of them, unless they were there already. */
  keep(): void
}

export function openPlainObjects(repository: string): PlainObjects {
  const known = new Map<string, PlainObject>()
  let kept: Map<string, PlainObject> | undefined
  let file: string | undefined
  let bytes = 0
  let isNew = false

  function add(id: string, object: PlainObject): void {
    bytes += object.content.length
    if (bytes <= MOST_BYTES) known.set(id, object)
  }

  return {
    find(id) {
      file ??= join(repository, FOLDER, id)
      kept ??= read(file)
      const before = known.get(id)
      if (before !== undefined) return before
      const found = kept.get(id)
      if (found === undefined || !isNamed(id, found.type, found.content)) return undefined
      add(id, found)
      return found
    },
    add(id, object) {
      isNew = true
      add(id, object)
    },
    keep() {
      const isWhole = [...known.values()].some(({ type }) => type === 'blob')
      if (file !== undefined && isNew && isWhole && bytes <= MOST_BYTES) write(file, known)
    },
  }
}

/** Before a fetch: what is kept is soon that of old versions. */
export function forgetPlainObjects(repository: string): void {
  rmSync(join(repository, FOLDER), { recursive: true, force: true })
}

/** In the copy itself, so that it goes where the copy goes. */
const FOLDER = 'orla-plain'
/** Of one version. What is larger takes so long that unpacking it does not matter. */
const MOST_BYTES = 1024 * 1024

type Entry = readonly [id: string, type: string, size: number]

/** A line that tells what is there, then one after the other. */
function read(file: string): Map<string, PlainObject> {
  const objects = new Map<string, PlainObject>()
  try {
    if (statSync(file).size > 2 * MOST_BYTES) return objects
    const bytes = readFileSync(file)
    const end = bytes.indexOf(0x0a)
    let at = end + 1
    // Each content is compared with its name later: whatever is wrong here does no harm.
    for (const [id, type, size] of JSON.parse(bytes.toString('latin1', 0, end)) as Entry[]) {
      objects.set(id, { type, content: bytes.subarray(at, at + size) })
      at += size
    }
  } catch {
    // Not there, or not as we write it.
  }
  return objects
}

function write(file: string, objects: ReadonlyMap<string, PlainObject>): void {
  const entries = [...objects].map(([id, { type, content }]): Entry => [id, type, content.length])
  const contents = [...objects.values()].map(({ content }) => content)
  const part = `${file}.${uniqueName()}`
  try {
    makePath(join(file, '..'))
    writeFileSync(part, Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents]))
    renameSync(part, file)
  } catch {
    // A full disk or a cache that is read-only: the packs are there.
    rmSync(part, { force: true })
  }
}
