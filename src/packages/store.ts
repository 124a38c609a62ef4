import { join } from 'node:path'
import { definitionHash, formatReceipt } from '../formats/index.ts'
import { type LockEntry, OrlaError, RECEIPT, type Receipt, sha256 } from '../model/index.ts'
import { writeFileAtomic } from '../platform/index.ts'
import type { Candidate } from './candidate.ts'
import { installedListing, manifestHash } from './check.ts'
import type { InstallDeps, InstalledPackage } from './install.ts'
import { installedVersions } from './installed.ts'
import { folderOf, rootOf } from './layout.ts'
import { addToLocks, readLocks } from './locks.ts'
import { neededReceipts } from './needed-receipts.ts'
import { dependencyOrder } from './needs.ts'
import type { Places } from './places.ts'
import type { Ports } from './ports.ts'
import { shelve } from './shelve.ts'
import { trustSource } from './trust.ts'

/** What is in its place now, in the order of the candidates; a failure ended it before all were. */
export interface Stored {
  readonly installed: readonly InstalledPackage[]
  readonly failure?: unknown
}

/** Puts every candidate in its place, what is needed first, and writes the lock last. */
export async function store(
  candidates: readonly Candidate[],
  isKept: (candidate: Candidate) => boolean,
  frozen: boolean,
  deps: InstallDeps,
): Promise<Stored> {
  const done = new Map<Candidate, InstalledPackage>()
  let failure: unknown
  try {
    for (const candidate of dependencyOrder(candidates)) {
      if (deps.signal?.aborted) throw new OrlaError('E_INTERRUPTED', 'interrupted')
      done.set(candidate, await storeOne(candidate, isKept(candidate), deps))
    }
  } catch (error) {
    failure = error
  }
  // A frozen lock has everything already, or nothing would have been stored.
  if (!frozen) lock(done, deps.places, deps.ports.warn)
  const installed = candidates.flatMap((candidate) => done.get(candidate) ?? [])
  return failure === undefined ? { installed } : { installed, failure }
}

async function storeOne(
  candidate: Candidate,
  isKept: boolean,
  { places, ports, memory, trust }: InstallDeps,
): Promise<InstalledPackage> {
  const { manifest, pin, staging, signature } = candidate
  const { name, version } = manifest
  const hook = manifest.hooks.postInstall
  const folder = folderOf(places, name, version)
  if (isKept) return { name, version, status: 'unchanged', folder, pin }
  ports.progress(name, 'installing')
  const receipt = receiptOf(candidate, ports.now())
  staging.write(RECEIPT, formatReceipt(hook === undefined ? receipt : { ...receipt, hook: 'pending' }))
  const remember = memory?.prepare(folder)
  // Before it is in its place: a running server looks at once.
  if (hook === undefined) remember?.(receipt, candidate.listing)
  const unshelve = await shelve(places, name, version, folder)
  const swap = await staging.swap(folder).catch((error: unknown) => {
    unshelve()
    throw error
  })
  try {
    if (hook !== undefined) {
      await runHook(candidate, hook, folder, ports)
      const listing = installedListing(folder, name, version)
      const finished = { ...receipt, ...afterHook(receipt.digest, listing) }
      remember?.(finished, listing)
      writeFileAtomic(join(folder, RECEIPT), formatReceipt(finished))
    }
    const isNews = signature.outcome === 'unknown-key' || signature.isRotation === true
    if (isNews && signature.key !== undefined) await trust?.remember(name, trustSource(pin), signature.key)
  } catch (error) {
    swap.undo()
    unshelve()
    throw error
  }
  await swap.finish()
  return { name, version, status: 'installed', folder, pin }
}

/** A hook that fails undoes its install. */
async function runHook(candidate: Candidate, hook: string, folder: string, ports: Ports): Promise<void> {
  const { manifest, manifestSha256 } = candidate
  ports.progress(manifest.name, `running ${hook}`)
  const failure =
    (await ports.runHook(folder, hook, candidate)) ??
    (manifestHash(folder) === manifestSha256 ? undefined : `${hook} changed the manifest`)
  if (failure === undefined) return
  throw new OrlaError('E_HOOK', `${manifest.name} ${manifest.version} was not installed: its hook ${failure}`)
}

/** A hook may finish its package: later everything in it is compared with what it made of it. */
function afterHook(digest: string, listing: string): Pick<Receipt, 'digest_after_hook'> {
  const now = sha256(listing)
  return now === digest ? {} : { digest_after_hook: now }
}

function receiptOf({ manifest, pin, digest, manifestSha256, signature }: Candidate, now: Date): Receipt {
  return {
    v: 1,
    name: manifest.name,
    version: manifest.version,
    pin,
    digest,
    installed_at: now.toISOString(),
    permissions: manifest.permissions ?? [],
    manifest,
    manifest_sha256: manifestSha256,
    ...(signature.key === undefined ? {} : { signer: signature.key }),
  }
}

/**
 * What was stored now replaces what the lock said. What was there before is added when the lock does not know it,
 * and so is what all of it needs: an earlier install may have been ended before it wrote the lock.
 */
function lock(
  done: ReadonlyMap<Candidate, InstalledPackage>,
  places: Places,
  warn: (message: string) => void,
): void {
  const { toolsDir } = places
  const key = ({ name, version }: { name: string; version: string }) => `${name} ${version}`
  const receipts = (one: InstalledPackage) =>
    installedVersions(rootOf(places, one.name), one.name).find(({ folder }) => folder === one.folder)
      ?.receipt ?? []
  const own = [...done.values()].flatMap(receipts)
  const needed = neededReceipts(
    own.map(({ manifest }) => manifest),
    toolsDir,
  )
  const stored = new Set([...done.values()].filter(({ status }) => status === 'installed').map(key))
  const before = new Map(readLocks(places).packages.map((entry) => [key(entry), entry]))
  const news = [...own, ...needed].filter((one) => stored.has(key(one)) || !before.has(key(one)))
  const entries = new Map(news.map((one) => [key(one), lockEntry(one)]))
  addToLocks(
    places,
    [...entries.values()].map((entry) => pinDefinition(entry, before.get(key(entry)), warn)),
  )
}

/** What a model is told changes with the version. Only the owner of a folder may change it in between. */
function pinDefinition(
  entry: LockEntry,
  old: LockEntry | undefined,
  warn: (message: string) => void,
): LockEntry {
  const { name, version, pin, definition } = entry
  if (old === undefined || pin.kind === 'directory' || old.definition === definition) return entry
  const way = `it is not served until \`orla trust definitions ${name}\``
  warn(`${name} ${version} tells models something else than before, under the same version; ${way}`)
  return { ...entry, definition: old.definition }
}

function lockEntry({ name, version, pin, digest, permissions, manifest, signer }: Receipt): LockEntry {
  const definition = definitionHash(manifest)
  return { name, version, pin, digest, permissions, definition, ...(signer === undefined ? {} : { signer }) }
}
