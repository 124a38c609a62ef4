import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { compareListing, SIGNATURE_FILE, signedListing } from '../../formats/index.ts'
import { OrlaError, type Pin, type SignatureOutcome } from '../../model/index.ts'
import { checkPackage, signatureOf, type Trust } from '../../packages/index.ts'
import {
  extractArchive,
  hashFile,
  isFolder,
  lookAtProgram,
  openStaging,
  readTextIfThere,
} from '../../platform/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from '../config.ts'
import type { World } from '../world.ts'
import { allInstalled } from './all-installed.ts'
import { openTrustStore, trustFor } from './trust-store.ts'
import { describe, NO_DIFFERENCE, type Verification } from './verification.ts'
import { verifyInstalled } from './verify-installed.ts'

/** Packages by name, file or folder; all that are installed when none is named. */
export async function verifyPackages(
  world: World,
  request: ConfigRequest,
  words: readonly string[],
): Promise<Verification[]> {
  const loaded = await loadConfig(world, request)
  const trust = trustFor(openTrustStore(loaded.home), loaded.config.signatures)
  if (words.length === 0) return verifyNamed(loaded, trust, undefined)
  const results: Verification[] = []
  for (const word of words) {
    const path = resolve(world.cwd, word)
    if (isArchive(word)) results.push(await verifyFile(path, loaded, trust))
    else if (/[/\\]|^\.{1,2}$/.test(word))
      results.push(await verifyFolder(path, { kind: 'directory', path }, path, loaded, trust))
    else results.push(...(await verifyNamed(loaded, trust, word)))
  }
  return results
}

async function verifyNamed(
  loaded: LoadedConfig,
  trust: Trust,
  word: string | undefined,
): Promise<Verification[]> {
  const [name, version] = word?.split('@v') ?? []
  const found = (await allInstalled(loaded)).filter(
    ({ manifest }) =>
      (name === undefined || manifest.name === name) &&
      (version === undefined || manifest.version === version),
  )
  if (found.length === 0 && word !== undefined) {
    throw new OrlaError('E_NOT_FOUND', `there is no package \`${word}\``, {
      hint: `\`orla list\` shows what is installed; a folder is written ./${word}`,
    })
  }
  return found.map((one) => judged(verifyInstalled(one, loaded, trust), trust))
}

function isArchive(word: string): boolean {
  return /\.(?:mcpkg|zip|tgz|tar\.gz)$/i.test(word)
}

async function verifyFile(path: string, loaded: LoadedConfig, trust: Trust): Promise<Verification> {
  if (lookAtProgram(path).kind !== 'file') throw new OrlaError('E_NOT_FOUND', `there is no file ${path}`)
  const staging = openStaging(tmpdir())
  try {
    const isMcpkg = /\.mcpkg$/i.test(path)
    await extractArchive(path, staging.dir, { stripTopFolder: true, ...(isMcpkg ? { only: 'zip' } : {}) })
    const pin = { kind: 'archive', from: path, sha256: hashFile(path).sha256 } as const
    return await verifyFolder(staging.dir, pin, path, loaded, trust)
  } catch (error) {
    const isBroken = error instanceof OrlaError && ['E_ARCHIVE', 'E_UNSAFE_TREE'].includes(error.code)
    if (!isBroken) throw error
    return judged({ ...nameless(path), outcome: 'malformed', message: error.message }, trust)
  } finally {
    staging.discard()
  }
}

async function verifyFolder(
  folder: string,
  pin: Pin,
  shown: string,
  loaded: LoadedConfig,
  trust: Trust,
): Promise<Verification> {
  if (!isFolder(folder)) throw new OrlaError('E_NOT_FOUND', `there is no folder ${folder}`)
  const { manifest, digest, listing, problems } = await checkPackage(folder)
  if (manifest === undefined) {
    const message = problems.find(({ severity }) => severity === 'error')?.message ?? 'it is not a package'
    return judged({ ...nameless(shown), outcome: 'malformed', message }, trust)
  }
  // A file in the hand may come from anywhere: what is known of the name counts.
  const known: Trust = { ...trust, keysOf: (name) => keysAnywhere(loaded, name) }
  const signature = signatureOf({ manifest, pin, digest, folder }, known, { v: 1, packages: [] })
  const before = signedListing(readTextIfThere(join(folder, SIGNATURE_FILE)) ?? '')
  const difference =
    signature.outcome === 'content-mismatch' && before !== undefined
      ? compareListing(before, listing)
      : NO_DIFFERENCE
  const { name, version } = manifest
  return judged({ name, version, path: shown, ...describe(signature), ...difference }, trust)
}

function keysAnywhere({ home }: LoadedConfig, name: string): string[] {
  return openTrustStore(home)
    .read()
    .keys.flatMap((one) => (one.package === name ? [one.key] : []))
}

function nameless(path: string) {
  return { name: null, version: null, path, signer: null, ...NO_DIFFERENCE }
}

const PASSES_UNLESS_REQUIRED: ReadonlySet<SignatureOutcome> = new Set(['unsigned', 'unknown-key'])

function judged(one: Omit<Verification, 'passes'>, { policy }: Trust): Verification {
  const passes = one.outcome === 'ok' || (policy !== 'require' && PASSES_UNLESS_REQUIRED.has(one.outcome))
  return { ...one, passes }
}
