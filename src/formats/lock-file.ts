import { type Lock, type LockEntry, OrlaError } from '../model/index.ts'
import { readJson } from './json.ts'
import { checkInstallName } from './mcpkg/install-name.ts'
import { orderPin, PIN } from './pin-shape.ts'
import { integer, list, object, required, text } from './shape.ts'
import { readPublicKey } from './ssh/public-key.ts'
import { checkVersion, compareVersions } from './version.ts'

const hash = (about: string) => required(text(about, { pattern: /^\S+$/, expected: 'a hash' }))

const LOCK = object('orla.lock', {
  v: required(integer('Version of this format', { min: 1, max: 1_000_000 })),
  packages: required(
    list(
      'Packages, pinned',
      object('A package', {
        // Name and version become a folder.
        name: required(
          text('Name', { check: (name) => (checkInstallName(name) === undefined ? undefined : NO_NAME) }),
        ),
        version: required(text('Version', { check: checkVersion })),
        pin: required(PIN),
        digest: hash('Digest of its content'),
        permissions: required(list('Permissions that were accepted', text('Permission'))),
        definition: hash('Digest of what a model is told'),
        signer: text('Key that signed it', {
          check: (key) => (readPublicKey(key) === key ? undefined : NO_KEY),
        }),
      }),
    ),
  ),
})

const NO_KEY = { message: 'is not an ed25519 key' }
const NO_NAME = { message: 'is not the name of a package' }

/** orla.lock as Orla wrote it. Anything else is `E_LOCK`, with the place and the way out. */
export function parseLock(source: string, file: string): Lock {
  const { value, problems } = readJson(source, file, LOCK)
  if (value !== undefined && Number.isInteger(value.v) && value.v > 1) {
    throw new OrlaError('E_LOCK', `${file} was written by a newer Orla (format ${value.v})`, {
      hint: 'update Orla',
    })
  }
  if (value === undefined || problems.length > 0) throw damaged(file, problems)
  return { v: 1, packages: value.packages }
}

function damaged(
  file: string,
  problems: readonly { line: number; column: number; message: string; hint?: string }[],
) {
  const shown = problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
  const way = 'restore it from version control, or remove it and run `orla install` for each package again'
  return new OrlaError('E_LOCK', shown.join('\n'), {
    hint: problems.find(({ hint }) => hint?.includes('merge conflict'))
      ? `resolve the merge conflict, or ${way}`
      : way,
  })
}

/** The same lock is always the same text: keys in order, packages by name and version. */
export function formatLock(lock: Lock): string {
  const packages = [...lock.packages]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : compareVersions(a.version, b.version)))
    .map(
      ({ name, version, pin, digest, permissions, definition, signer }): LockEntry => ({
        name,
        version,
        pin: orderPin(pin),
        digest,
        permissions,
        definition,
        ...(signer === undefined ? {} : { signer }),
      }),
    )
  return `${JSON.stringify({ v: 1, packages }, null, 2)}\n`
}
