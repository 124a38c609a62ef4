import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { OrlaError } from '../../model/index.ts'
import { asFileError } from '../file-error.ts'
import { createMemoryWriter, type MemoryTree } from '../memory-tree.ts'
import type { TreeFile } from '../tree.ts'
import { TREE_LIMITS, type TreeLimits } from '../tree-bounds.ts'
import { createTreeWriter, type TreeWriter } from '../tree-writer.ts'
import { stripTopFolder } from './strip-top-folder.ts'

export interface ExtractOptions extends Partial<ArchiveLimits> {
  /** When everything is in one folder, what is in it becomes the destination. */
  readonly stripTopFolder?: boolean
  /** Anything else is refused. */
  readonly only?: 'zip'
  /** Gets every file of the destination as it was written there, when all are. */
  readonly onListed?: (files: readonly TreeFile[]) => void
}

export interface ArchiveLimits extends TreeLimits {
  /** How many times larger than the archive its content may be, beyond the first MiB. */
  readonly ratio: number
}

export interface Archive {
  readonly file: string
  /** What messages call it. */
  readonly name: string
  readonly size: number
  readonly limits: ArchiveLimits
}

/**
 * Unpacks a zip, tar or tar.gz (told apart by content, not by name) into a new folder: plain files, 644 or 755,
 * inside it or not at all. On any failure the destination is removed.
 */
export async function extractArchive(
  file: string,
  destination: string,
  options: ExtractOptions = {},
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { archive, format } = open(file, options)
  const { onListed } = options
  const listed: TreeFile[] = []
  const keep = onListed && ((one: TreeFile) => listed.push(one))
  const writer = createTreeWriter(destination, archive.name, archive.limits, keep)
  try {
    await unpack(archive, format, writer)
    const top = options.stripTopFolder ? stripTopFolder(destination) : ''
    onListed?.(listed.map((one) => ({ ...one, path: one.path.slice(top.length) })))
  } catch (error) {
    throw writer.abandon(error)
  }
  return { ...writer.written }
}

/** The same tree, judged in the same way, without a destination. */
export async function readArchive(file: string, options: ExtractOptions = {}): Promise<MemoryTree> {
  const { archive, format } = open(file, options)
  const writer = createMemoryWriter(archive.name, archive.limits)
  await unpack(archive, format, writer)
  return writer.tree()
}

function open(file: string, options: ExtractOptions): { readonly archive: Archive; readonly format: Format } {
  const { size, format } = look(file)
  const archive = { file, name: basename(file), size, limits: limitsFor(size, options) }
  if (options.only !== undefined && format !== options.only) throw brokenArchive(archive, 'it is not a zip')
  return { archive, format }
}

/** The file is not what it should be, or not whole. */
export function brokenArchive(archive: Archive, why: string, cause?: unknown): OrlaError {
  return new OrlaError('E_ARCHIVE', `${archive.name} cannot be unpacked: ${why}`, {
    cause,
    hint: 'download it again, or ask its author',
  })
}

const MAX_RATIO = 100
const FREE_BYTES = 1024 * 1024

function limitsFor(size: number, options: ExtractOptions): ArchiveLimits {
  const ratio = options.ratio ?? MAX_RATIO
  const bytes = Math.min(options.bytes ?? TREE_LIMITS.bytes, Math.max(FREE_BYTES, size * ratio))
  return { entries: options.entries ?? TREE_LIMITS.entries, bytes, ratio }
}

async function unpack(archive: Archive, format: Format, writer: TreeWriter): Promise<void> {
  if (format === 'zip') {
    const { extractZip } = await import('./zip.ts')
    await extractZip(archive, writer)
  } else {
    const { extractTar } = await import('./tar.ts')
    await extractTar(archive, writer, format === 'gzip')
  }
}

type Format = 'zip' | 'gzip' | 'tar'

function look(file: string): { readonly size: number; readonly format: Format } {
  try {
    const fd = openSync(file, 'r')
    try {
      const head = Buffer.alloc(4)
      readSync(fd, head)
      return { size: fstatSync(fd).size, format: formatOf(head) }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw asFileError(error, `read ${file}`)
  }
}

function formatOf(head: Buffer): Format {
  // An empty zip begins with its end.
  if (/^PK(\x03\x04|\x05\x06)/.test(head.toString('latin1'))) return 'zip'
  return head[0] === 0x1f && head[1] === 0x8b ? 'gzip' : 'tar'
}
