import { isUtf8 } from 'node:buffer'
import type { Catalog, Document } from '../model/index.ts'
import { readBounded, realPath } from '../platform/index.ts'
import { clip } from './describe-message.ts'
import { MESSAGE_BYTES, pageOf } from './pages.ts'
import { RPC, RpcError } from './rpc-error.ts'

export interface DocumentPage {
  readonly resources: readonly WireDocument[]
  readonly nextCursor?: string
}

/** Where the file is, is nobody's business but ours. */
export type WireDocument = Omit<Document, 'file'>

export interface DocumentContents {
  readonly contents: readonly (TextContents | BlobContents)[]
}

interface TextContents {
  readonly uri: string
  readonly mimeType: string
  readonly text: string
}

interface BlobContents {
  readonly uri: string
  readonly mimeType: string
  readonly blob: string
}

/** `resources/list`, whatever the era. */
export function listDocuments(catalog: Catalog, cursor?: string, pageBytes?: number): DocumentPage {
  const { items: resources, ...rest } = pageOf(wireDocuments(catalog), ({ uri }) => uri, cursor, pageBytes)
  return { resources, ...rest }
}

/** `resources/read`: what the file holds now. Clients know a document that is not there by `data`, which is the URI alone. */
export async function readDocument(
  catalog: Catalog,
  uri: string,
  maxBytes = MESSAGE_BYTES,
): Promise<DocumentContents> {
  const document = catalog.documents?.find((known) => known.uri === uri)
  if (!document) throw unknownDocument(uri)
  // What was there when it was listed may be a link by now.
  const isThere = realPath(document.file) === document.file
  const read = isThere ? await readBounded(document.file, maxBytes) : MISSING
  switch (read.kind) {
    case 'missing':
      throw new RpcError(
        RPC.invalidParams,
        `The file of ${uri} is not there any more (list the resources again)`,
        { uri },
      )
    case 'unreadable':
      throw new RpcError(RPC.internal, `The file of ${uri} cannot be read: ${read.why}`)
    case 'too-large':
      throw tooLarge(uri, maxBytes)
    case 'bytes':
      return { contents: [contentsOf(document, read.bytes, maxBytes)] }
  }
}

const MISSING = { kind: 'missing' } as const

function contentsOf(
  { uri, mimeType }: Document,
  bytes: Buffer,
  maxBytes: number,
): TextContents | BlobContents {
  if (isText(mimeType) && isUtf8(bytes)) {
    const text = bytes.toString('utf8')
    // What has to be escaped takes more room than it has in the file.
    if (Buffer.byteLength(JSON.stringify(text)) > maxBytes) throw tooLarge(uri, maxBytes)
    return { uri, mimeType, text }
  }
  const blob = bytes.toString('base64')
  if (blob.length > maxBytes) throw tooLarge(uri, maxBytes)
  return { uri, mimeType, blob }
}

function isText(mimeType: string): boolean {
  return /^(text\/|application\/([^;]+\+)?json\s*(;|$))/i.test(mimeType)
}

function tooLarge(uri: string, maxBytes: number): RpcError {
  return new RpcError(
    RPC.internal,
    `${uri} is larger than the ${maxBytes.toLocaleString('en')} bytes that fit into an answer`,
  )
}

function unknownDocument(uri: string): RpcError {
  const message = `There is no resource ${clip(uri)} (list the resources to see them)`
  return new RpcError(RPC.invalidParams, message, { uri })
}

function toWireDocument({ uri, name, description, mimeType }: Document): WireDocument {
  return { uri, name, ...(description !== undefined && { description }), mimeType }
}

const cache = new WeakMap<Catalog, readonly WireDocument[]>()

/** By URI, in code-point order. Built once for each catalog: catalogs never change. */
function wireDocuments(catalog: Catalog): readonly WireDocument[] {
  let documents = cache.get(catalog)
  if (!documents) {
    documents = (catalog.documents ?? []).map(toWireDocument).sort((a, b) => (a.uri < b.uri ? -1 : 1))
    cache.set(catalog, documents)
  }
  return documents
}
