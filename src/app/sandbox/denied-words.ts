import type { SandboxBackend, SandboxSettings } from '../../model/index.ts'
import type { Subject } from '../../runtime/index.ts'

/** Why a package is not started, to follow its name: what would stay open, and what can be done about it. */
export function deniedWords(
  subject: Subject,
  open: readonly string[],
  backend: SandboxBackend,
  mode: SandboxSettings['mode'],
  platform = process.platform,
): string {
  const canInstall = backend !== 'bwrap' && platform === 'linux'
  const install = canInstall ? ['install bubblewrap (`apt-get install bubblewrap`)'] : []
  const accept =
    mode === 'require' ? 'set `sandbox: auto`' : `accept that with \`orla grant ${packageOf(subject)}\``
  return `was not started: this host cannot hold it to its permissions (${open.join(', ')}); ${[...install, accept].join(', or ')}`
}

function packageOf({ name, origin }: Subject): string {
  return origin.kind === 'package' ? origin.package.name : name
}
