import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OrlaError, sha256 } from '../../model/index.ts'
import { withFolderLock } from '../folder-lock.ts'
import { shownUrl } from '../shown-url.ts'
import { type ExportOptions, exportTree } from './export-tree.ts'
import { fetchInto } from './fetch.ts'
import type { Git } from './git.ts'
import { listTags, type TagCommit } from './list-tags.ts'
import { checkCommit, checkFile, checkTag } from './names.ts'
import { isDamage, type ObjectReader, readAll, withObjects } from './objects.ts'
import { type Remote, type RemoteOptions, toRemote } from './remote.ts'
import { readTagCommit, readTagObject } from './tag.ts'
import { askTags, rememberedTags } from './tag-list.ts'

/**
 * Bare copies of repositories, so that a second install, an older tag and an install without network need
 * nothing from elsewhere. Safe for several processes at once and for being killed at any moment; a damaged
 * copy is fetched again.
 */
export interface GitCache {
  /** From the repository itself. */
  listTags(url: string, options?: RemoteOptions): Promise<readonly TagCommit[]>
  /** From the cache alone. */
  cachedTags(url: string): Promise<readonly TagCommit[]>
  /** From the cache alone. Refuses an annotated tag that calls itself otherwise. */
  commitOf(url: string, tag: string): Promise<string | undefined>
  /**
   * Makes sure the tag is cached (with all other version tags), and at `commit` when one is given: a cached one
   * that is elsewhere is fetched again, and refused when it still is. Resolves to its commit.
   */
  ensure(url: string, tag: string, commit: string | undefined, options?: EnsureOptions): Promise<string>
  /** The same, and the files of that commit in a new folder. */
  exportTag(
    url: string,
    tag: string,
    commit: string | undefined,
    destination: string,
    options?: ExportTagOptions,
  ): Promise<string>
  /** The files of a cached commit, in a new folder. */
  exportTree(url: string, commit: string, destination: string, options?: ExportOptions): Promise<void>
  /** A file of the newest state of the default branch, fetched now. */
  readFile(url: string, file: string, options?: RemoteOptions): Promise<string>
}

export interface EnsureOptions extends RemoteOptions {
  /** Only what is cached. */
  readonly offline?: boolean
}

export interface ExportTagOptions extends EnsureOptions {
  /** Gets the object of an annotated tag, which may be signed. */
  readonly onTag?: (content: Buffer) => void
}

/** Repositories are in `git/` below `root`, named by the hash of their address. */
export function createGitCache(git: Git, root: string): GitCache {
  const folder = join(root, 'git')
  const nameOf = (url: string) => sha256(url)
  const placeOf = (url: string) => join(folder, `${nameOf(url)}.git`)
  /** How those were reached that may be fetched again: what is exported later may turn out to be damaged. */
  const reachable = new Map<string, Remote>()

  /** Most reading needs the lock as well: a damaged copy is replaced. */
  function locked<T>(remote: Remote, work: (repository: string) => Promise<T>): Promise<T> {
    const options = remote.signal === undefined ? {} : { signal: remote.signal }
    return withFolderLock(
      join(folder, `${nameOf(remote.url)}.lock`),
      () => work(placeOf(remote.url)),
      options,
    )
  }

  /** Reads, and once more from a new copy when this one is damaged and may be fetched again. */
  async function reading<T>(
    remote: Remote,
    repository: string,
    refspec: string,
    read: () => Promise<T>,
  ): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!isDamage(error)) throw error
      await fetchInto(git, remote, repository, refspec, true)
      return read()
    }
  }

  /** The commit of a tag, brought here if need be, and what is made of it by the process that found it. */
  async function withTag(
    url: string,
    tag: string,
    commit: string | undefined,
    { offline = false, ...options }: EnsureOptions,
    use: (objects: ObjectReader, commit: string) => Promise<unknown>,
  ): Promise<string> {
    const remote = toRemote(url, options)
    checkTag(tag)
    if (!offline) reachable.set(remote.url, remote)
    const isWanted = (found: string | undefined): found is string =>
      found !== undefined && (commit === undefined || found === commit)
    const place = placeOf(remote.url)
    const look = () =>
      withObjects(git, place, async (objects) => {
        const found = await readTagCommit(objects, tag)
        if (isWanted(found)) await use(objects, found)
        return found
      })
    // First without the lock: no fetch takes away what is there, and what is read is checked. Only whoever
    // meets a copy that is just being replaced must wait, and finds out as if it were damaged.
    const there = existsSync(place) ? await orNothing(look()) : undefined
    if (isWanted(there)) return there
    return locked(remote, async (repository) => {
      const cached = () => (offline ? look() : reading(remote, repository, VERSION_TAGS, look))
      const before = existsSync(repository) ? await cached() : undefined
      if (isWanted(before)) return before
      if (offline) throw notCached(remote, tag)
      await fetchInto(git, remote, repository, VERSION_TAGS)
      return checkMoved(remote, tag, commit, await cached())
    })
  }

  return {
    listTags: (url, options) => listTags(git, url, options),

    async cachedTags(url) {
      const remote = toRemote(url, {})
      const place = placeOf(remote.url)
      const remembered = rememberedTags(place)
      if (remembered !== undefined) return remembered
      if (!existsSync(place)) return []
      return locked(remote, async (repository) => (await orNothing(askTags(git, repository))) ?? [])
    },

    async commitOf(url, tag) {
      const remote = toRemote(url, {})
      checkTag(tag)
      if (!existsSync(placeOf(remote.url))) return undefined
      return locked(remote, (repository) =>
        orNothing(withObjects(git, repository, (objects) => readTagCommit(objects, tag))),
      )
    },

    ensure: (url, tag, commit, options = {}) => withTag(url, tag, commit, options, async () => {}),

    exportTag: (url, tag, commit, destination, { onTag, ...options } = {}) =>
      withTag(url, tag, commit, options, async (objects, found) => {
        const object = onTag && (await readTagObject(objects, tag))
        if (object !== undefined) onTag?.(object)
        await exportTree(objects, found, destination, exportOptions(toRemote(url, options)))
      }),

    async exportTree(url, commit, destination, options = {}) {
      const { url: plain } = toRemote(url, {})
      checkCommit(commit)
      const remote = reachable.get(plain)
      await locked(remote ?? toRemote(url, {}), (repository) => {
        const write = () =>
          withObjects(git, repository, (objects) =>
            exportTree(objects, commit, destination, { source: shownUrl(plain), ...options }),
          )
        return remote === undefined ? write() : reading(remote, repository, VERSION_TAGS, write)
      })
    },

    async readFile(url, file, options = {}) {
      const remote = toRemote(url, options)
      const name = `${HEAD}:${checkFile(file)}`
      const refspec = `+HEAD:${HEAD}`
      return locked(remote, async (repository) => {
        await fetchInto(git, remote, repository, refspec)
        const [object] = await reading(remote, repository, refspec, () =>
          withObjects(git, repository, (objects) => readAll(objects, [name], FILE_BYTES, remote.signal)),
        )
        if (object?.type === 'blob') return object.content.toString()
        throw new OrlaError('E_GIT', `there is no ${file} in ${shownUrl(remote.url)}`)
      })
    },
  }
}

/** All of them in one go: an older version is there later without network. */
const VERSION_TAGS = '+refs/tags/v*:refs/tags/v*'
/** Where the newest state of the default branch is kept. */
const HEAD = 'refs/orla/head'
const FILE_BYTES = 16 * 1024 * 1024

/** Damaged is as good as not there. */
async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

function exportOptions({ url, signal }: Remote): ExportOptions {
  return { source: shownUrl(url), ...(signal === undefined ? {} : { signal }) }
}

function notCached(remote: Remote, tag: string): OrlaError {
  return new OrlaError('E_OFFLINE', `${tag} of ${shownUrl(remote.url)} is not cached`, {
    hint: 'run the command once without --offline',
  })
}

function checkMoved(
  remote: Remote,
  tag: string,
  wanted: string | undefined,
  found: string | undefined,
): string {
  const url = shownUrl(remote.url)
  if (found === undefined) throw new OrlaError('E_GIT', `${url} has no tag ${tag}`)
  if (wanted === undefined || found === wanted) return found
  throw new OrlaError('E_TAG_MOVED', `the tag ${tag} of ${url} was at ${wanted} and is now at ${found}`, {
    hint: 'published versions do not change; ask its author what happened',
  })
}
