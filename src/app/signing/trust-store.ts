import { join } from 'node:path'
import { readPublicKey } from '../../formats/index.ts'
import { isJsonObject, OrlaError, type SignaturePolicy } from '../../model/index.ts'
import { type Trust, trustAddress } from '../../packages/index.ts'
import { openStateFile } from '../../platform/index.ts'

/** One key that may sign one package. */
export interface TrustedKey {
  readonly package: string
  /** Registry, repository or host it counts for; absent: wherever the package comes from. */
  readonly source?: string
  readonly key: string
  readonly how: 'first-use' | 'added' | 'rotated'
  readonly since: string
}

export interface RevokedKey {
  readonly key: string
  readonly since: string
}

interface TrustFile {
  readonly keys: readonly TrustedKey[]
  readonly revoked: readonly RevokedKey[]
  /** Packages whose keys were taken back: what a lock says of their signer counts no more. */
  readonly forgotten: readonly string[]
}

/** What was said and seen on this machine, in ~/.orla/trust.json. */
export interface TrustStore {
  read(): TrustFile
  change(edit: (trust: TrustFile) => TrustFile): Promise<void>
}

export function openTrustStore(home: string): TrustStore {
  const file = openStateFile(join(home, 'trust.json'))
  return {
    read: () => parse(file.read(), file.path),
    async change(edit) {
      await file.change((text) => {
        const { keys, revoked, forgotten } = edit(parse(text, file.path))
        // Whoever has a key again is not forgotten any more.
        const still = forgotten.filter((name) => !keys.some((one) => one.package === name))
        return `${JSON.stringify({ v: 1, keys, revoked, forgotten: still }, null, 2)}\n`
      })
    },
  }
}

/** For installs: what they ask, and what they may remember. */
export function trustFor(store: TrustStore, policy: SignaturePolicy): Trust {
  const keysOf = (name: string, source: string) =>
    store
      .read()
      .keys.filter((one) => counts(one, name, source))
      .map(({ key }) => key)
  return {
    policy,
    keysOf,
    isRevoked: (key) => store.read().revoked.some((one) => one.key === key),
    isForgotten: (name) => store.read().forgotten.includes(name),
    async remember(name, source, key) {
      const known = keysOf(name, source)
      if (known.includes(key)) return
      const how = known.length === 0 ? 'first-use' : 'rotated'
      const entry: TrustedKey = { package: name, source, key, how, since: new Date().toISOString() }
      await store.change(({ keys, ...rest }) => ({
        ...rest,
        keys: [...keys.filter((one) => !counts(one, name, source)), entry],
      }))
    },
  }
}

function counts({ package: of, source: from }: TrustedKey, name: string, source: string): boolean {
  return of === name && (from === undefined || trustAddress(from) === source)
}

/** What is damaged must not pass for nothing: then every changed key would be a first one. */
function parse(text: string | undefined, file: string): TrustFile {
  if (text === undefined) return { keys: [], revoked: [], forgotten: [] }
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value) && value.v === 1) {
      const { keys, revoked, forgotten = [] } = value
      if (Array.isArray(keys) && keys.every(isTrusted) && Array.isArray(revoked) && revoked.every(isRevoked))
        return { keys, revoked, forgotten: Array.isArray(forgotten) ? forgotten.filter(isText) : [] }
    }
  } catch {
    // Told below.
  }
  throw new OrlaError('E_FILE', `${file} is damaged`, {
    hint: 'restore it, or remove it: then every key is a new one, and nothing is revoked',
  })
}

function isTrusted(value: unknown): value is TrustedKey {
  if (!isJsonObject(value)) return false
  const { package: name, source, key } = value
  const isFrom = source === undefined || typeof source === 'string'
  return typeof name === 'string' && isFrom && isKey(key) && typeof value.how === 'string'
}

function isRevoked(value: unknown): value is RevokedKey {
  return isJsonObject(value) && isKey(value.key)
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && readPublicKey(value) === value
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
