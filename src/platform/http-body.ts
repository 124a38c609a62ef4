import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { KEPT_BYTES } from './process/starter.ts'

export interface HttpBody {
  readonly body: Buffer
  /** There was more than it may have; the first `KEPT_BYTES` are here. */
  readonly isCut: boolean
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  // Naming one of them here would load zlib for everybody.
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
}

/** What a response carries, unpacked. The limit is for what comes out, so that little cannot become too much. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<HttpBody> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const decoder = DECODERS[encoding]
  if (decoder === undefined && encoding !== 'identity')
    throw new Error(`it is packed with ${encoding}, which nobody asked for`)
  const chunks: Buffer[] = []
  let bytes = 0
  async function collect(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) return
    }
  }
  try {
    if (decoder === undefined || isEmpty(response)) await pipeline(response, collect)
    else await pipeline(response, decoder(), collect)
  } catch (error) {
    // Leaving before the end is an error to a pipeline, and what was wanted here.
    if (bytes <= maxBytes) throw error
  }
  const all = Buffer.concat(chunks)
  return bytes > maxBytes
    ? { body: all.subarray(0, Math.min(KEPT_BYTES, maxBytes)), isCut: true }
    : { body: all, isCut: false }
}

/** An empty body says how it would be packed, and is not. */
function isEmpty({ req, statusCode, headers }: IncomingMessage & { readonly req?: { method?: string } }) {
  return (
    req?.method === 'HEAD' || statusCode === 204 || statusCode === 304 || headers['content-length'] === '0'
  )
}
