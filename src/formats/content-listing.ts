import { RECEIPT, sha256 } from '../model/index.ts'

/** One file of a package, as its listing describes it. */
export interface ContentFile {
  /** Relative to the package, with forward slashes. */
  readonly path: string
  readonly size: number
  readonly executable: boolean
  readonly sha256: string
  /** Where a link points; `sha256` and `size` are then those of this text. */
  readonly link?: string
}

/** Beside the content, not part of it: they are written after it was listed. */
const NOT_CONTENT: ReadonlySet<string> = new Set(['meta/signature.sig', RECEIPT, 'metadata.json'])

/** Whether a file counts: what Orla itself writes beside the content does not. */
export function isContent(path: string): boolean {
  return !NOT_CONTENT.has(path)
}

/**
 * The text that stands for everything in a package: what is signed, and what receipts and the lock remember
 * the digest of. A line each for the format, the name, the version, then for every file, in the order of the
 * bytes of its path, `SHA256 SIZE x|-|l "PATH"` (executable, plain, link).
 */
export function contentListing(name: string, version: string, files: readonly ContentFile[]): string {
  for (const word of [name, version])
    if (/[\r\n]/.test(word)) throw new Error(`${JSON.stringify(word)} cannot stand in a content listing`)
  const lines = files
    .filter((file) => isContent(file.path))
    .map((file) => ({ file, bytes: Buffer.from(file.path) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ file }) => `${file.sha256} ${file.size} ${kindOf(file)} ${JSON.stringify(file.path)}`)
  return `${['orla-package-v1', name, version, ...lines].join('\n')}\n`
}

/** SHA-256 of the listing. */
export function contentDigest(name: string, version: string, files: readonly ContentFile[]): string {
  return sha256(contentListing(name, version, files))
}

function kindOf(file: ContentFile): 'x' | '-' | 'l' {
  if (file.link !== undefined) return 'l'
  return file.executable ? 'x' : '-'
}
