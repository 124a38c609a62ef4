import { OrlaError } from '../../model/index.ts'
import { linkProblem } from '../link-target.ts'
import { createPathGuard, type PathGuard } from '../path-guard.ts'
import { createTreeWriter, TREE_LIMITS, type TreeLimits, type TreeWriter } from '../tree-writer.ts'
import type { Git } from './git.ts'
import { checkCommit } from './names.ts'
import { damaged, readObjects } from './objects.ts'

export interface ExportOptions {
  /** What messages call the tree. */
  readonly source?: string
  readonly limits?: TreeLimits
  readonly signal?: AbortSignal
}

/**
 * Writes the files of a commit into a new folder, byte for byte: no checkout, so no filters, attributes, hooks
 * or line endings come into it. All paths are judged before the first byte is written. On failure the
 * destination is removed.
 */
export async function exportTree(
  git: Git,
  repository: string,
  commit: string,
  destination: string,
  options: ExportOptions = {},
): Promise<{ readonly files: number; readonly bytes: number }> {
  const limits = options.limits ?? TREE_LIMITS
  const source = options.source ?? repository
  const entries = await listEntries(git, repository, checkCommit(commit), limits, source, options.signal)
  const writer = createTreeWriter(destination, source, limits)
  try {
    const guard = createPathGuard()
    for (const entry of entries) checkEntry(entry, guard, writer)
    for (const batch of batches(entries)) await writeBatch(git, repository, batch, writer, options.signal)
  } catch (error) {
    throw writer.abandon(error)
  }
  return { ...writer.written }
}

interface Entry {
  readonly mode: string
  readonly id: string
  readonly size: number
  readonly path: string
}

const LINK = '120000'
const SUBMODULE = '160000'

/** Of one entry: mode, type, hash, size and a path that is not longer than paths may be. */
const ENTRY_BYTES = 1_200

async function listEntries(
  git: Git,
  repository: string,
  commit: string,
  limits: TreeLimits,
  source: string,
  signal: AbortSignal | undefined,
): Promise<Entry[]> {
  const output = await git.run(['ls-tree', '-r', '-z', '-l', '--full-tree', '--', commit], {
    doing: `list the files of ${source}`,
    repository,
    outputBytes: limits.entries * ENTRY_BYTES,
    ...(signal === undefined ? {} : { signal }),
  })
  const lines = output.toString('utf8').split('\0').slice(0, -1)
  const entries = lines.map((line) => {
    const [, mode = '', id = '', size = '', path = ''] =
      /^(\d{6}) [a-z]+ ([0-9a-f]{40,64}) +(\d+|-)\t(.*)$/s.exec(line) ?? []
    if (id === '') throw damaged(repository)
    return { mode, id, size: size === '-' ? 0 : Number(size), path }
  })
  checkTotals(entries, limits, source)
  return entries
}

function checkTotals(entries: readonly Entry[], limits: TreeLimits, source: string): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (entries.length > limits.entries)
    throw new OrlaError('E_UNSAFE_TREE', `${source} has more than ${limits.entries} entries`)
  if (bytes > limits.bytes)
    throw new OrlaError('E_UNSAFE_TREE', `${source} has more than ${limits.bytes} bytes`)
}

function checkEntry({ mode, path, size }: Entry, guard: PathGuard, writer: TreeWriter): void {
  if (mode === SUBMODULE) throw writer.refuse(path, 'is a submodule')
  if (mode === LINK ? size > 4_096 : !mode.startsWith('100'))
    throw writer.refuse(path, 'is of a kind that packages do not have')
  const problem = guard.admit(path, 'file')
  if (problem !== undefined) throw writer.refuse(path, problem)
}

const BATCH_BYTES = 32 * 1024 * 1024

/** One process for most packages; for large ones as many as keep memory small. */
function* batches(entries: readonly Entry[]): Iterable<Entry[]> {
  let batch: Entry[] = []
  let bytes = 0
  for (const entry of entries) {
    if (batch.length > 0 && bytes + entry.size > BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += entry.size
  }
  if (batch.length > 0) yield batch
}

async function writeBatch(
  git: Git,
  repository: string,
  batch: readonly Entry[],
  writer: TreeWriter,
  signal: AbortSignal | undefined,
): Promise<void> {
  const bytes = batch.reduce((sum, entry) => sum + entry.size, 0)
  const ids = batch.map(({ id }) => id)
  const objects = await readObjects(git, repository, ids, bytes, signal)
  for (const [index, { mode, path }] of batch.entries()) {
    const object = objects[index]
    if (object === undefined || object.type !== 'blob') throw damaged(repository)
    if (mode === LINK) writeLink(path, object.content.toString(), writer)
    else writeFile(path, mode === '100755', object.content, writer)
  }
}

function writeFile(path: string, executable: boolean, content: Buffer, writer: TreeWriter): void {
  const sink = writer.file(path, executable)
  sink.write(content)
  sink.close()
}

function writeLink(path: string, target: string, writer: TreeWriter): void {
  const problem = linkProblem(path, target)
  if (problem !== undefined) throw writer.refuse(path, problem)
  writer.link(path, target)
}
