import { basename } from 'node:path'

/** What the user's configuration of git says about ssh, for `git config --get-regexp`. */
export const SSH_SETTINGS = '^(core\\.sshcommand|ssh\\.variant)$'

/**
 * Nobody is there to answer ssh: it never asks for a password or whether a new host is the right one, gives up on one
 * that says nothing, and leaves no connection behind that would outlive the command.
 */
const OPTIONS = [
  'BatchMode=yes',
  'ControlMaster=no',
  'ConnectTimeout=30',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=4',
]

/**
 * The ssh that git would start, with options behind the user's own: ssh goes by what is said first. A program that is
 * not OpenSSH's is left as it is, for it may take none of them. `settings` is what git printed.
 */
export function sshVariables(
  env: Readonly<Record<string, string>>,
  settings: string,
): Readonly<Record<string, string>> {
  const configured = readSettings(settings)
  const variant = env.GIT_SSH_VARIANT || configured.get('ssh.variant') || 'auto'
  // In the order in which git looks.
  const command = env.GIT_SSH_COMMAND || configured.get('core.sshcommand') || (env.GIT_SSH ? '' : 'ssh')
  if (!/^(?:ssh|auto)$/i.test(variant) || basename(firstWord(command)) !== 'ssh') return {}
  return { GIT_SSH_COMMAND: [command, ...OPTIONS.map((option) => `-o ${option}`)].join(' ') }
}

/** Lines of `KEY VALUE`; the last one of a key counts. */
function readSettings(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\n').map((line): [string, string] => {
    const space = line.indexOf(' ')
    return [line.slice(0, space), line.slice(space + 1).trim()]
  })
  return new Map(pairs)
}

/** Of a line for the shell, which may have a path with spaces in quotes. */
function firstWord(command: string): string {
  const [, doubled, single, plain] = /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))/.exec(command) ?? []
  return doubled ?? single ?? plain ?? ''
}
