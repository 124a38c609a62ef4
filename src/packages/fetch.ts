import { join } from 'node:path'
import { OrlaError, type Pin } from '../model/index.ts'
import {
  type ArchiveCache,
  copyTree,
  download,
  type ExtractOptions,
  extractArchive,
  type GitCache,
  hashFile,
  isFolder,
  lookAtProgram,
  type Staging,
  shownUrl,
  type TreeFile,
  withoutCredentials,
} from '../platform/index.ts'
import { dropOwnFiles } from './own-files.ts'
import { nothingAt } from './pin-words.ts'
import type { Resolved } from './resolve.ts'
import { besidePackage } from './working-copy.ts'

export interface FetchDeps {
  readonly git: GitCache
  readonly offline: boolean
  readonly archives: ArchiveCache
  readonly token: string | undefined
  readonly progress: (state: string) => void
  readonly signal?: AbortSignal
  /** Gets the object of an annotated tag, which may be signed. */
  readonly onTag: (content: Buffer) => void
  /** Gets the files that were unpacked, as they were written. */
  readonly onListed: (files: readonly TreeFile[]) => void
}

/** Brings the files of a package into its staging folder. Resolves to what they are, exactly. */
export async function fetchTree(resolved: Resolved, staging: Staging, deps: FetchDeps): Promise<Pin> {
  const pin = await fetchFiles(resolved, staging, deps)
  dropOwnFiles(staging.dir)
  return pin
}

async function fetchFiles(resolved: Resolved, staging: Staging, deps: FetchDeps): Promise<Pin> {
  switch (resolved.kind) {
    case 'git': {
      const { url, address = url, tag, commit, origin } = resolved
      deps.progress(`fetching ${tag}`)
      await deps.git.exportTag(address, tag, commit, staging.dir, {
        offline: deps.offline,
        onTag: deps.onTag,
        ...(deps.token === undefined ? {} : { token: deps.token }),
        ...(deps.signal === undefined ? {} : { signal: deps.signal }),
      })
      return {
        kind: 'git',
        url,
        tag,
        commit,
        ...(origin === undefined ? {} : { registry: origin.registry.url }),
      }
    }
    case 'local':
      return fetchLocal(resolved.path, staging, deps)
    case 'download': {
      const archive = join(staging.dir, '../download')
      const sha256 = await fetchArchive(resolved, archive, deps)
      await extractArchive(archive, staging.dir, unpacking(new URL(resolved.url).pathname, deps))
      const registry = resolved.origin === undefined ? {} : { registry: resolved.origin.registry.url }
      return { kind: 'archive', from: withoutCredentials(resolved.url), sha256, ...registry }
    }
  }
}

/** What is known by its checksum is downloaded once. Resolves to the SHA-256. */
async function fetchArchive(
  { url, sha256: promised }: Extract<Resolved, { kind: 'download' }>,
  file: string,
  { archives, offline, progress, signal }: FetchDeps,
): Promise<string> {
  if (promised !== undefined && archives.take(promised, file)) return promised
  if (offline) {
    throw new OrlaError('E_OFFLINE', `${shownUrl(url)} would have to be downloaded`, {
      hint: 'leave out --offline',
    })
  }
  progress('downloading')
  const { sha256 } = await download(url, file, {
    ...(promised === undefined ? {} : { sha256: promised }),
    ...(signal === undefined ? {} : { signal }),
  })
  archives.keep(sha256, file)
  return sha256
}

/** An .mcpkg is a zip and nothing else; what other archives are tells their content. */
function unpacking(path: string, { onListed }: FetchDeps): ExtractOptions {
  const isMcpkg = /\.mcpkg$/i.test(path)
  return { stripTopFolder: true, onListed, ...(isMcpkg && { only: 'zip' }) }
}

async function fetchLocal(path: string, staging: Staging, deps: FetchDeps): Promise<Pin> {
  if (lookAtProgram(path).kind === 'missing') throw nothingAt(path)
  if (isFolder(path)) {
    copyTree(path, staging.dir, { isSkipped: besidePackage(path) })
    return { kind: 'directory', path }
  }
  await extractArchive(path, staging.dir, unpacking(path, deps))
  return { kind: 'archive', from: path, sha256: hashFile(path).sha256 }
}
