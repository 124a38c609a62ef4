import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  checkSignature,
  isToolId,
  type ListingDifference,
  ROTATION_FILE,
  readRotations,
  SIGNATURE_FILE,
} from '../../formats/index.ts'
import { type Lock, OrlaError, type Receipt, type Signature } from '../../model/index.ts'
import { installedVersions, judgeKey, readLocks, type Trust, trustSource } from '../../packages/index.ts'
import { readTextIfThere } from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import { DOUBTS } from '../integrity/doubt.ts'
import { afterAMoment, differenceOf, inWords, listingOf } from '../integrity/file-watch.ts'
import { openRecords } from '../integrity/records.ts'
import { reinstall } from '../integrity/reinstall.ts'
import type { PresentPackage } from './all-installed.ts'
import { describe, NO_DIFFERENCE, type Verification } from './verification.ts'

/** Every file of an installed package against its receipt, what Orla remembers of it and the lock; then its signature. */
export function verifyInstalled(
  { manifest, folder, scope }: PresentPackage,
  loaded: LoadedConfig,
  trust: Trust,
): Omit<Verification, 'passes'> {
  const { name, version } = manifest
  const base = { name, version, path: folder, signer: null, ...NO_DIFFERENCE }
  const receipt = installedVersions(rootAbove(folder, name, loaded), name).find(
    (one) => one.folder === folder,
  )?.receipt
  if (receipt === undefined) {
    const message = 'placed or linked by hand: there is nothing to compare it with'
    return { ...base, outcome: 'unsigned', message }
  }
  const lock = lockOf(scope, loaded)
  const wrong = contentOf(folder, receipt, loaded.home, lock)
  if (wrong !== undefined) {
    const message = `${wrong.message}; ${reinstall(receipt)}`
    return { ...base, ...wrong.difference, outcome: 'content-mismatch', message }
  }
  return { ...base, ...describe(signatureNow(folder, receipt, trust)) }
}

function lockOf(scope: PresentPackage['scope'], { file, home, root, config }: LoadedConfig): Lock {
  const isGlobal = scope === 'global' || file === null
  return readLocks({
    scope: isGlobal ? 'global' : 'project',
    toolsDir: isGlobal ? join(home, 'tools') : config.toolsDir,
    mcpDir: join(root, '.mcp'),
    lockFile: join(isGlobal ? home : root, 'orla.lock'),
    home,
    cacheDir: join(home, 'cache'),
  })
}

interface Wrong {
  readonly message: string
  readonly difference?: ListingDifference
}

function contentOf(folder: string, receipt: Receipt, home: string, lock: Lock): Wrong | undefined {
  const expected = receipt.digest_after_hook ?? receipt.digest
  const records = openRecords(home)
  const look = () => compare(folder, receipt, expected, records.listingOf(folder))
  const files = look() && afterAMoment(look)
  if (files !== undefined) return files
  const doubt = DOUBTS[records.look(folder, receipt)]
  if (doubt !== undefined) return { message: doubt }
  const { name, version, digest } = receipt
  const locked = lock.packages.find((one) => one.name === name && one.version === version)
  if (locked !== undefined && locked.pin.kind !== 'directory' && locked.digest !== digest) {
    return { message: 'it is not what orla.lock says' }
  }
  return undefined
}

function compare(
  folder: string,
  receipt: Receipt,
  expected: string,
  before: string | undefined,
): Wrong | undefined {
  try {
    const now = listingOf(folder, receipt)
    if (createHash('sha256').update(now).digest('hex') === expected) return undefined
    const difference = differenceOf(before, expected, now)
    return { message: inWords(difference), ...(difference && { difference }) }
  } catch (error) {
    if (error instanceof OrlaError) return { message: error.message }
    throw error
  }
}

/** A signed file is checked again; of a signed tag the receipt says who signed it. */
function signatureNow(folder: string, receipt: Receipt, trust: Trust): Signature {
  const { name, pin, signer, digest } = receipt
  const text = readTextIfThere(join(folder, SIGNATURE_FILE))
  const inside = text === undefined ? undefined : checkSignature(text, digest)
  if (inside !== undefined && inside.outcome !== 'signed') return inside
  if (signer === undefined) return { outcome: 'unsigned', why: 'it was not signed when it was installed' }
  const isGone = pin.kind !== 'git' && inside?.key !== signer
  if (isGone) return { outcome: 'bad-signature', why: 'its signature is not the one it was installed with' }
  const rotations = readRotations(readTextIfThere(join(folder, ROTATION_FILE)) ?? '')
  return judgeKey(signer, trust.keysOf(name, trustSource(pin)), rotations, (key) => trust.isRevoked(key))
}

/** Where the versions of a package are, seen from one of them. */
function rootAbove(folder: string, name: string, { root }: LoadedConfig): string {
  return isToolId(name) ? join(root, '.mcp') : join(folder, '../..')
}
