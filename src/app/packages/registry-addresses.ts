import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Registry, RegistryEntry } from '../../model/index.ts'
import { checkGitUrl, type GitCache, type GitUrl, originOf, shownUrl } from '../../platform/index.ts'

type Credential = NonNullable<GitUrl['credential']>

export interface Addresses {
  /** As they may be shown and written: without a password. */
  readonly registries: readonly Registry[]
  /** What stood before the host, by origin. It is kept in memory only. */
  readonly credentials: ReadonlyMap<string, Credential>
}

/** Takes the passwords out of the addresses of registries. One that git must not see is refused when it is used. */
export function judgeAddresses(written: readonly Registry[], cwd: string): Addresses {
  const credentials = new Map<string, Credential>()
  const registries = written.map(({ name, url: text }) => {
    try {
      const { url, credential } = checkGitUrl(text, cwd)
      const origin = originOf(url)
      if (credential !== undefined && origin !== undefined) credentials.set(origin, credential)
      return { name, url }
    } catch {
      return { name, url: shownUrl(text) }
    }
  })
  return { registries, credentials }
}

/** A cache that opens repositories of these origins with what came with the address of a registry there. */
export function withCredentials(git: GitCache, credentials: Addresses['credentials']): GitCache {
  if (credentials.size === 0) return git
  const open = (url: string): string => {
    const origin = originOf(url)
    const credential = origin === undefined ? undefined : credentials.get(origin)
    if (credential === undefined) return url
    const address = new URL(url)
    if (address.username !== '' || address.password !== '') return url
    address.username = encodeURIComponent(credential.user)
    address.password = encodeURIComponent(credential.password)
    return address.href
  }
  return {
    ...git,
    listTags: (url, options) => git.listTags(open(url), options),
    ensure: (url, tag, commit, options) => git.ensure(open(url), tag, commit, options),
    exportTag: (url, tag, commit, destination, options) =>
      git.exportTag(open(url), tag, commit, destination, options),
    readFile: (url, file, options) => git.readFile(open(url), file, options),
  }
}

/** A relative path in a registry on this machine is beside the registry, wherever the command runs. */
export function besideRegistry(registry: Registry, entry: RegistryEntry): RegistryEntry {
  const { repository } = entry
  const folder = registry.url.startsWith('file://') ? fileURLToPath(registry.url) : registry.url
  if (!folder.startsWith('/') || !/^\.{1,2}(?:\/|$)/.test(repository)) return entry
  return { ...entry, repository: resolve(folder, repository) }
}
