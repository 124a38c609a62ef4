import { basename, join, resolve } from 'node:path'
import {
  formatRotations,
  generateKeyPair,
  type KeyPair,
  keyFingerprint,
  ROTATION_FILE,
  readPrivateKey,
  readPublicKey,
  readRotations,
  rotate,
  writePrivateKey,
} from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import {
  isFolder,
  listFolder,
  makeFolder,
  readKeyFile,
  readTextIfThere,
  withFolderLock,
  writeFileAtomic,
} from '../../platform/index.ts'
import { type ConfigRequest, locateProject } from '../config.ts'
import { othersMayRead } from '../others-may-read.ts'
import type { World } from '../world.ts'

/** A key of one's own; the private half never leaves its file. */
export interface OwnKey {
  readonly name: string
  readonly key: string
  readonly fingerprint: string
  readonly file: string
}

const USUAL = 'default'

export async function generateKey(world: World, request: ConfigRequest, name = USUAL): Promise<OwnKey> {
  return keep(world, request, name, () => generateKeyPair(name))
}

/** A private key of OpenSSH becomes one of Orla's; the file it was read from stays. */
export async function importKey(
  world: World,
  request: ConfigRequest,
  file: string,
  warn: (message: string) => void,
  name = basename(file),
): Promise<OwnKey> {
  const path = resolve(world.cwd, file)
  const text = readTextIfThere(path)
  if (text === undefined) throw new OrlaError('E_NOT_FOUND', `there is no file ${path}`)
  if (readPublicKey(text) !== undefined) {
    throw new OrlaError('E_KEY', `${file} is a public key, which signs nothing`, {
      hint: `\`orla trust add PACKAGE ${file}\` trusts what it signs`,
    })
  }
  const taken = await keep(world, request, name, () => readPrivateKey(text, path))
  if (isShared(path)) {
    const { message, hint } = othersMayRead('private key', path)
    warn(`${message}: ${hint}`)
  }
  return taken
}

export function listKeys(world: World, request: ConfigRequest): OwnKey[] {
  const folder = folderOf(world, request)
  return listFolder(folder)
    .filter((name) => isKeyName(name))
    .sort()
    .map((name) => describe(name, readOwn(folder, name).publicKey, folder))
}

/** The public half, as OpenSSH writes it. */
export function exportKey(world: World, request: ConfigRequest, name: string): string {
  const folder = folderOf(world, request)
  return `${readOwn(folder, chooseKey(folder, name)).publicKey} ${name}`
}

/** The key to sign with: the one named, the usual one, or the only one. As with ssh, one that others may read signs nothing. */
export function openKey(world: World, request: ConfigRequest, name?: string): KeyPair {
  const folder = folderOf(world, request)
  const file = join(folder, chooseKey(folder, name))
  const read = readKeyFile(file)
  if (typeof read === 'string') throw new OrlaError('E_KEY', `cannot read the key ${file}: ${read}`)
  if (read.isShared) {
    const { message, hint } = othersMayRead('private key', file)
    throw new OrlaError('E_KEY', message, { hint })
  }
  return readPrivateKey(read.text, file)
}

/** Files of private keys that others may read. */
export function sharedKeys(home: string): string[] {
  const folder = join(home, 'keys')
  return listFolder(folder)
    .filter((name) => isKeyName(name))
    .map((name) => join(folder, name))
    .filter(isShared)
}

function isShared(file: string): boolean {
  const read = readKeyFile(file)
  return typeof read !== 'string' && read.isShared
}

function chooseKey(folder: string, name: string | undefined): string {
  const names = listFolder(folder).filter((one) => isKeyName(one))
  const [only] = names
  const chosen = name ?? (names.length === 1 ? only : names.find((one) => one === USUAL))
  if (chosen !== undefined && names.includes(chosen)) return chosen
  if (name !== undefined || names.length === 0) {
    const hint = names.length === 0 ? '`orla keys generate` makes one' : `there is ${names.join(', ')}`
    if (name === undefined) throw new OrlaError('E_KEY', 'there is no key to sign with', { hint })
    throw new OrlaError('E_NOT_FOUND', `there is no key \`${name}\``, { hint })
  }
  throw new OrlaError('E_KEY', 'there are several keys', { hint: `--key NAME chooses: ${names.join(', ')}` })
}

/** Where a key is, for git and ssh: they write the same file. */
export function keyFileOf(world: World, request: ConfigRequest, name: string): string {
  openKey(world, request, name)
  return join(folderOf(world, request), name)
}

/** The old key says, in the package, which one comes after it. Those who trust the old one then trust the new one. */
export function rotateKey(
  world: World,
  request: ConfigRequest,
  from: string,
  to: string,
  where: string,
): { readonly file: string; readonly from: string; readonly to: string } {
  const folder = resolve(world.cwd, where)
  if (!isFolder(folder)) throw new OrlaError('E_NOT_FOUND', `there is no folder ${folder}`)
  const old = openKey(world, request, from)
  const next = readKeyWord(world, request, to)
  if (next === old.publicKey) throw new OrlaError('E_USAGE', 'both are the same key')
  const file = join(folder, ROTATION_FILE)
  const before = readRotations(readTextIfThere(file) ?? '').filter(
    (one) => one.from !== old.publicKey || one.to !== next,
  )
  makeFolder(join(folder, 'meta'))
  writeFileAtomic(file, formatRotations([...before, rotate(old, next)]))
  return { file, from: keyFingerprint(old.publicKey), to: keyFingerprint(next) }
}

/** A public key as people give one: its text, a file with it, or the name of a key of their own. */
export function readKeyWord(world: World, request: ConfigRequest, word: string): string {
  const written = readPublicKey(word)
  if (written !== undefined) return written
  const folder = folderOf(world, request)
  if (isKeyName(word) && listFolder(folder).includes(word)) return readOwn(folder, word).publicKey
  const text = /[\0\n]/.test(word) ? undefined : readIfFile(resolve(world.cwd, word))
  const key = text === undefined ? undefined : readPublicKey(text)
  if (key !== undefined) return key
  throw new OrlaError('E_KEY', `${JSON.stringify(word.slice(0, 100))} is not a public key`, {
    hint: 'give a file such as id_ed25519.pub, or its text in quotes: "ssh-ed25519 AAAA…"',
  })
}

function readIfFile(path: string): string | undefined {
  try {
    return readTextIfThere(path)
  } catch (error) {
    if (error instanceof OrlaError) return undefined // a folder or the like
    throw error
  }
}

async function keep(
  world: World,
  request: ConfigRequest,
  name: string,
  make: () => KeyPair,
): Promise<OwnKey> {
  if (!isKeyName(name)) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(name)} cannot be the name of a key`, {
      hint: 'letters, digits, - and _; `--name NAME` chooses another',
    })
  }
  const folder = folderOf(world, request)
  makeFolder(folder, 0o700)
  const pair = make()
  await withFolderLock(join(folder, '.lock'), async () => {
    if (readTextIfThere(join(folder, name)) !== undefined) {
      throw new OrlaError('E_KEY', `there is a key \`${name}\` already`, {
        hint: 'choose another name; a key is never replaced',
      })
    }
    writeFileAtomic(join(folder, name), writePrivateKey(pair), 0o600)
    writeFileAtomic(join(folder, `${name}.pub`), `${pair.publicKey} ${name}\n`)
  })
  return describe(name, pair.publicKey, folder)
}

function readOwn(folder: string, name: string): KeyPair {
  const file = join(folder, name)
  return readPrivateKey(readTextIfThere(file) ?? '', file)
}

function describe(name: string, key: string, folder: string): OwnKey {
  return { name, key, fingerprint: keyFingerprint(key), file: join(folder, name) }
}

function folderOf(world: World, request: ConfigRequest): string {
  return join(locateProject(world, request).home, 'keys')
}

/** No dot: NAME.pub is the public half, and what begins with one is no key. */
function isKeyName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)
}
