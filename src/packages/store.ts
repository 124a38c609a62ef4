import { join } from 'node:path'
import { formatReceipt } from '../formats/index.ts'
import { type LockEntry, OrlaError, type Receipt } from '../model/index.ts'
import { moveAway, removeIfEmpty, writeFileAtomic } from '../platform/index.ts'
import { definitionHash } from './check.ts'
import type { Candidate } from './gather.ts'
import type { InstalledPackage } from './install.ts'
import { RECEIPT } from './installed.ts'
import { addToLock } from './lock.ts'
import type { Places } from './places.ts'
import type { PlannedPackage, Ports } from './ports.ts'

/** Puts every candidate in its place with its receipt, runs hooks, and writes the lock last. */
export async function store(
  candidates: readonly Candidate[],
  planned: readonly PlannedPackage[],
  places: Places,
  ports: Ports,
): Promise<InstalledPackage[]> {
  const installed: InstalledPackage[] = []
  for (const [index, candidate] of candidates.entries()) {
    const { manifest, pin, staging, digest } = candidate
    const { name, version } = manifest
    const folder = join(places.toolsDir, name, version)
    const isKept = planned[index]?.action === 'keep'
    if (!isKept) {
      ports.progress(name, 'installing')
      writeFileAtomic(join(staging.dir, RECEIPT), formatReceipt(receiptOf(candidate, ports.now())))
      await staging.commit(folder)
      await runHook(candidate, folder, ports)
    }
    if (pin.kind !== 'directory' || !isKept) addToLock(places.lockFile, [lockEntry(candidate, digest)])
    installed.push({ name, version, status: isKept ? 'unchanged' : 'installed', folder, pin })
  }
  return installed
}

/** A hook that fails undoes its install. */
async function runHook({ manifest }: Candidate, folder: string, ports: Ports): Promise<void> {
  const hook = manifest.hooks.postInstall
  if (hook === undefined) return
  ports.progress(manifest.name, `running ${hook}`)
  const failure = await ports.runHook(folder, hook, manifest)
  if (failure === undefined) return
  moveAway(join(folder, '../..'), folder)
  removeIfEmpty(join(folder, '..'))
  throw new OrlaError('E_HOOK', `${manifest.name} ${manifest.version} was not installed: its hook ${failure}`)
}

function receiptOf({ manifest, pin, digest, manifestSha256 }: Candidate, now: Date): Receipt {
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
  }
}

function lockEntry({ manifest, pin }: Candidate, digest: string): LockEntry {
  const { name, version, permissions } = manifest
  return { name, version, pin, digest, permissions: permissions ?? [], definition: definitionHash(manifest) }
}
