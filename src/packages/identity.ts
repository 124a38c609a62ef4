import { type LockEntry, type Manifest, OrlaError, type Pin } from '../model/index.ts'
import type { Resolved } from './resolve.ts'

/** Tag = v + version, and the name that was promised. */
export function checkIdentity(manifest: Manifest, resolved: Resolved, lockedName: string | undefined): void {
  const { name, version } = manifest
  if (resolved.kind === 'git' && resolved.tag !== `v${version}`) {
    throw new OrlaError(
      'E_PACKAGE',
      `the tag ${resolved.tag} of ${resolved.url} holds version ${version} of ${name}`,
      {
        hint: `its author must tag v${version}, or correct its manifest`,
      },
    )
  }
  if (resolved.kind === 'download' && resolved.tag !== undefined && resolved.tag !== `v${version}`) {
    throw new OrlaError(
      'E_NOT_FOUND',
      `there is no ${resolved.tag} of ${name}: its archive holds ${version}`,
      {
        hint: `write ${name}@v${version}`,
      },
    )
  }
  const origin = resolved.kind === 'local' ? undefined : resolved.origin
  if (origin !== undefined && origin.name !== name) {
    throw new OrlaError(
      'E_PACKAGE',
      `the registry \`${origin.registry.name}\` says \`${origin.name}\`, but the package calls itself \`${name}\``,
    )
  }
  if (lockedName !== undefined && lockedName !== name) {
    throw new OrlaError('E_PACKAGE', `what was \`${lockedName}\` calls itself \`${name}\` now`, {
      hint: 'ask its author why; installed by its new name it is another package',
    })
  }
}

/** What was fetched for a lock is what the lock says. */
export function checkLocked(locked: LockEntry, manifest: Manifest, pin: Pin, digest: string): void {
  if (locked.name !== manifest.name || locked.version !== manifest.version) {
    throw new OrlaError(
      'E_LOCK',
      `orla.lock says ${locked.name} ${locked.version}, but there is ${manifest.name} ${manifest.version} now`,
    )
  }
  // A folder on this machine is whatever it is now.
  if (pin.kind === 'directory' || locked.digest === digest) return
  throw new OrlaError(
    'E_CHECKSUM',
    `${locked.name} ${locked.version} is not what orla.lock remembers\nlocked ${locked.digest}\nnow    ${digest}`,
  )
}
