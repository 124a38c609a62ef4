import type { SandboxBackend, SandboxSettings } from '../../model/index.ts'
import type { Subject } from '../../runtime/index.ts'

/** Why a package is not started, to follow its name: what would stay open, and what can be done about it. */
export function deniedWords(
  subject: Subject,
  open: readonly string[],
  backend: SandboxBackend,
  mode: SandboxSettings['mode'],
): string {
  const install = backend === 'bwrap' ? [] : ['install bubblewrap (`apt-get install bubblewrap`)']
  const accept =
    mode === 'require'
      ? 'set `sandbox: auto`'
      : `accept that with \`orla grant ${packageOf(subject)} --unenforced\``
  return `was not started: this host cannot hold it to its permissions (${open.join(', ')}); ${[...install, accept].join(', or ')}`
}

/** Why a request is not sent, to follow the name of the tool. */
export function unreachableWords(subject: Subject, word: string): string {
  return `was not called: nobody granted it ${word}; \`orla grant ${packageOf(subject)} ${word}\` does`
}

function packageOf({ name, origin }: Subject): string {
  return origin.kind === 'package' ? origin.package.name : name
}
