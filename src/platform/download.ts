import { createHash, randomBytes } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OrlaError, oneLine } from '../model/index.ts'
import type { Reach } from './address.ts'
import { asFileError } from './file-error.ts'
import { redirectProblem, urlProblem } from './hop.ts'
import { request } from './http-request.ts'
import { createNewFile } from './new-file.ts'
import { shownUrl } from './shown-url.ts'

export interface DownloadOptions {
  /** 256 MiB unless told. */
  readonly maxBytes?: number
  /** Hexadecimal; the file is kept only when it has this digest. */
  readonly sha256?: string
  readonly signal?: AbortSignal
  /** For everything together. */
  readonly timeoutMs?: number
  /** Without it, `http://` only on this machine. */
  readonly allowHttp?: boolean
}

/** The file is there whole and checked, or not at all. */
export async function download(
  url: string,
  file: string,
  options: DownloadOptions = {},
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const start = parse(url)
  const problem = urlProblem(start, options.allowHttp ?? false)
  if (problem !== undefined) throw refused(start, problem)
  const clock = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, clock]) : clock
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`)
  try {
    const response = await follow(start, options.allowHttp ?? false, signal)
    const got = await save(response, temporary, start, options.maxBytes ?? MAX_BYTES, signal)
    if (options.sha256 !== undefined && got.sha256 !== options.sha256.toLowerCase())
      throw new OrlaError(
        'E_CHECKSUM',
        `${shownUrl(start.href)} has SHA-256 ${got.sha256}, but ${options.sha256} was promised`,
        { hint: 'it may have been replaced; ask whoever published the checksum' },
      )
    renameSync(temporary, file)
    return got
  } catch (error) {
    rmSync(temporary, { force: true })
    throw meaning(error, start, file, options, clock)
  }
}

const ARCHIVE_TYPE =
  /^application\/(?:zip|x-zip-compressed|gzip|x-gzip|tar|x-tar|x-gtar|x-compressed-tar|[\w.+-]*mcpkg[\w.+-]*)\s*(?:;|$)/i
const ARCHIVE_NAME = /filename\*?=[^;]*\.(?:zip|tgz|tar\.gz|mcpkg)"?\s*(?:;|$)/i

/** Whether what lies at an address says of itself that it is an archive. One that does not answer is none. */
export async function isArchiveAt(url: string, signal?: AbortSignal): Promise<boolean> {
  const start = parse(url)
  if (urlProblem(start, false) !== undefined) return false
  const clock = AbortSignal.timeout(LOOK_MS)
  try {
    const response = await follow(start, false, signal ? AbortSignal.any([signal, clock]) : clock)
    const { 'content-type': type = '', 'content-disposition': name = '' } = response.headers
    response.destroy()
    return ARCHIVE_TYPE.test(type) || ARCHIVE_NAME.test(name)
  } catch {
    return false
  }
}

const LOOK_MS = 10_000
const TIMEOUT_MS = 300_000
const MAX_REDIRECTS = 5
const MAX_BYTES = 256 * 1024 * 1024

function parse(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new OrlaError('E_SOURCE', `${JSON.stringify(oneLine(shownUrl(url)))} is not an address`)
  }
}

async function follow(start: URL, allowHttp: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  let url = start
  let cameFrom: Reach | undefined
  for (let hops = 0; ; hops++) {
    const { response, reach } = await request(url, cameFrom, signal)
    const status = response.statusCode ?? 0
    const location = response.headers.location
    if (status === 200) return response
    response.destroy()
    if (!REDIRECTS.has(status) || location === undefined)
      throw new OrlaError(
        status >= 500 ? 'E_NETWORK' : 'E_DOWNLOAD',
        `${shownUrl(url.href)} answered ${status}`,
      )
    if (hops === MAX_REDIRECTS) throw refused(start, `it redirects more than ${MAX_REDIRECTS} times`)
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined
    if (next === undefined) throw refused(url, 'it redirects to something that is not an address')
    const problem = redirectProblem(url, next, allowHttp)
    if (problem !== undefined) throw refused(url, problem)
    url = next
    cameFrom = reach
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

async function save(
  response: IncomingMessage,
  temporary: string,
  url: URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const tooLarge = () => new OrlaError('E_DOWNLOAD', `${shownUrl(url.href)} has more than ${maxBytes} bytes`)
  const announced = Number(response.headers['content-length'] ?? Number.NaN)
  if (announced > maxBytes) {
    response.destroy()
    throw tooLarge()
  }
  const hash = createHash('sha256')
  let bytes = 0
  async function* measured(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(response, measured, createNewFile(temporary), { signal })
  return { bytes, sha256: hash.digest('hex') }
}

function refused(url: URL, why: string): OrlaError {
  return new OrlaError('E_DOWNLOAD', `${shownUrl(url.href)} is not downloaded: ${why}`)
}

function meaning(
  error: unknown,
  url: URL,
  file: string,
  options: DownloadOptions,
  clock: AbortSignal,
): unknown {
  if (error instanceof OrlaError) return error
  const shown = shownUrl(url.href)
  if (options.signal?.aborted) return new OrlaError('E_INTERRUPTED', `Interrupted while downloading ${shown}`)
  if (clock.aborted) return new OrlaError('E_NETWORK', `${shown} did not arrive in time`, { cause: error })
  const { path, code } = error as NodeJS.ErrnoException
  if (path !== undefined || DISK.has(code ?? '')) return asFileError(error, `write ${file}`)
  return network(error, shown)
}

/** Failures of a write, which names no path. */
const DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO'])

function network(error: unknown, shown: string): OrlaError {
  return new OrlaError('E_NETWORK', `cannot download ${shown}: ${oneLine((error as Error).message)}`, {
    cause: error,
    hint: 'check the connection and the address',
  })
}
