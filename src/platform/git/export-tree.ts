import { OrlaError } from '../../model/index.ts'
import { linkProblem } from '../link-target.ts'
import { createPathGuard, type PathGuard } from '../path-guard.ts'
import { TREE_LIMITS, type TreeLimits } from '../tree-bounds.ts'
import { createTreeWriter, type TreeWriter } from '../tree-writer.ts'
import { checkCommit } from './names.ts'
import { damaged, type GitObject, type ObjectReader } from './objects.ts'
import { listEntries, type TreeEntry } from './tree-entries.ts'

export interface ExportOptions {
  /** What messages call the tree. */
  readonly source?: string
  readonly limits?: TreeLimits
  readonly signal?: AbortSignal
}

/**
 * Writes the files of a commit into a new folder, byte for byte: no checkout, so no filters, attributes, hooks
 * or line endings come into it. All paths and sizes are judged before the first byte is written. On failure the
 * destination is removed.
 */
export async function exportTree(
  objects: ObjectReader,
  commit: string,
  destination: string,
  options: ExportOptions = {},
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { limits = TREE_LIMITS, source = objects.repository, signal } = options
  const entries = await listEntries(objects, checkCommit(commit), { source, limits, signal })
  const writer = createTreeWriter(destination, source, limits)
  const newCheck = () => createSizeCheck(entries, limits, source, writer)
  try {
    const guard = createPathGuard()
    for (const entry of entries) checkEntry(entry, guard, writer)
    await writeEntries(objects, entries, writer, newCheck, signal)
  } catch (error) {
    throw writer.abandon(error)
  }
  return { ...writer.written }
}

/** So much is held in memory; most packages are smaller as a whole. */
const HELD_BYTES = 32 * 1024 * 1024

type SizeCheck = (size: number, index: number) => void

/** A tree that fits is read, and so judged, as a whole before it is written. Of a larger one the sizes are asked. */
async function writeEntries(
  objects: ObjectReader,
  entries: readonly TreeEntry[],
  writer: TreeWriter,
  newCheck: () => SizeCheck,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ids = entries.map(({ id }) => id)
  const left = entries.values()
  const held: (() => void)[] = []
  let heldBytes = 0
  let isJudged = false
  for await (const object of objects.read(ids, { onSize: newCheck(), signal })) {
    const { value: entry } = left.next()
    if (entry === undefined || object?.type !== 'blob') throw damaged(objects.repository)
    held.push(() => writeEntry(entry, object, writer))
    heldBytes += object.content.length
    if (heldBytes <= HELD_BYTES) continue
    if (!isJudged) (await objects.sizes(ids)).forEach(newCheck())
    isJudged = true
    for (const write of held.splice(0)) write()
    heldBytes = 0
  }
  for (const write of held) write()
}

function checkEntry({ kind, path }: TreeEntry, guard: PathGuard, writer: TreeWriter): void {
  if (kind === 'submodule') throw writer.refuse(path, 'is a submodule')
  const problem = guard.admit(path, 'file')
  if (problem !== undefined) throw writer.refuse(path, problem)
}

const LONGEST_LINK = 4_096

function createSizeCheck(
  entries: readonly TreeEntry[],
  limits: TreeLimits,
  source: string,
  writer: TreeWriter,
): SizeCheck {
  let bytes = 0
  return (size, index) => {
    const entry = entries[index]
    if (entry?.kind === 'link' && size > LONGEST_LINK)
      throw writer.refuse(entry.path, 'is of a kind that packages do not have')
    bytes += size
    if (bytes > limits.bytes)
      throw new OrlaError('E_UNSAFE_TREE', `${source} has more than ${limits.bytes} bytes`)
  }
}

function writeEntry({ kind, path }: TreeEntry, { content }: GitObject, writer: TreeWriter): void {
  if (kind === 'link') {
    writeLink(path, content.toString(), writer)
    return
  }
  const sink = writer.file(path, kind === 'program')
  sink.write(content)
  sink.close()
}

function writeLink(path: string, target: string, writer: TreeWriter): void {
  const problem = linkProblem(path, target)
  if (problem !== undefined) throw writer.refuse(path, problem)
  writer.link(path, target)
}
