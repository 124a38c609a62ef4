import { keyFingerprint } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { trustAddress } from '../../packages/index.ts'
import { type ConfigRequest, locateProject } from '../config.ts'
import type { World } from '../world.ts'
import { readKeyWord } from './keys.ts'
import { openTrustStore, type RevokedKey, type TrustedKey } from './trust-store.ts'

export interface TrustChange {
  readonly package: string
  readonly key: string
  readonly fingerprint: string
}

/** Trusts a key for a package; with `replaces`, only that one from now on. */
export async function trustKey(
  world: World,
  request: ConfigRequest,
  { name, word, registry, replaces }: { name: string; word: string; registry?: string; replaces: boolean },
): Promise<TrustChange> {
  const source = registry === undefined ? undefined : trustAddress(registry)
  const key = readKeyWord(world, request, word)
  const store = storeOf(world, request)
  if (store.read().revoked.some((one) => one.key === key)) {
    throw new OrlaError('E_SIGNATURE', `${keyFingerprint(key)} is revoked`, {
      hint: `a revoked key is trusted again only after \`orla trust restore ${keyFingerprint(key)}\``,
    })
  }
  const from = source === undefined ? {} : { source }
  const entry: TrustedKey = { package: name, ...from, key, how: 'added', since: new Date().toISOString() }
  await store.change(({ keys, ...rest }) => ({
    ...rest,
    keys: [...keys.filter((one) => !isReplaced(one)), entry],
  }))
  return { package: name, key, fingerprint: keyFingerprint(key) }

  function isReplaced(one: TrustedKey): boolean {
    if (one.package !== name) return false
    if (replaces) return source === undefined || one.source === undefined || one.source === source
    return one.key === key && one.source === source
  }
}

/** Forgets the keys of a package, or one of them: the next that signs it is taken as the first. */
export async function distrustKey(
  world: World,
  request: ConfigRequest,
  name: string,
  word: string | undefined,
): Promise<TrustChange[]> {
  const store = storeOf(world, request)
  const key = word === undefined ? undefined : knownKey(world, request, word)
  const gone = store
    .read()
    .keys.filter((one) => one.package === name && (key === undefined || one.key === key))
  if (gone.length === 0 && key !== undefined) {
    throw new OrlaError('E_NOT_FOUND', `no such key is known for \`${name}\``, {
      hint: '`orla trust list` shows those that are',
    })
  }
  await store.change(({ keys, revoked, forgotten }) => ({
    keys: keys.filter((one) => one.package !== name || (key !== undefined && one.key !== key)),
    revoked,
    forgotten: [...new Set([...forgotten, name])],
  }))
  return gone.map((one) => ({ package: name, key: one.key, fingerprint: keyFingerprint(one.key) }))
}

/** Nothing that this key signed is taken any more, whoever vouches for it; or, restored, is again. */
export async function revokeKey(
  world: World,
  request: ConfigRequest,
  word: string,
  isRevoked: boolean,
): Promise<{ readonly key: string; readonly fingerprint: string }> {
  const key = knownKey(world, request, word)
  await storeOf(world, request).change(({ revoked, ...rest }) => {
    const others = revoked.filter((one) => one.key !== key)
    return { ...rest, revoked: isRevoked ? [...others, { key, since: new Date().toISOString() }] : others }
  })
  return { key, fingerprint: keyFingerprint(key) }
}

export function listTrust(
  world: World,
  request: ConfigRequest,
): { readonly keys: readonly TrustedKey[]; readonly revoked: readonly RevokedKey[] } {
  return storeOf(world, request).read()
}

/** Of a key that is known here, its fingerprint is enough. */
function knownKey(world: World, request: ConfigRequest, word: string): string {
  const { keys, revoked } = storeOf(world, request).read()
  const known = [...keys, ...revoked].find(({ key }) => keyFingerprint(key) === word)
  return known?.key ?? readKeyWord(world, request, word)
}

function storeOf(world: World, request: ConfigRequest) {
  return openTrustStore(locateProject(world, request).home)
}
