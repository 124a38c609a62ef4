import type { Remote } from './remote.ts'

export interface SshFailure {
  readonly why: string
  readonly hint: string
}

/** What ssh meant when it refused by itself, before git was heard; undefined when that is not what happened. */
export function sshFailure(said: string, remote: Remote): SshFailure | undefined {
  if (/^(?:.*: )?ssh: (?:command )?not found|cannot run ssh\b/m.test(said)) {
    return { why: 'there is no ssh on PATH', hint: 'install it: apt install openssh-client' }
  }
  if (/HOST IDENTIFICATION HAS CHANGED|has changed and you have requested strict checking/i.test(said)) {
    const [, name] = /^Host key for ([\w.:[\]-]+) has changed/m.exec(said) ?? []
    return {
      why: 'the key of the host is not the one that ssh knows',
      hint: `Ask its operator before you go on: someone may be in between. \`ssh-keygen -R ${name === undefined ? 'HOST' : `'${name}'`}\` forgets the old key.`,
    }
  }
  if (/Host key verification failed|No \S+ host key is known/i.test(said)) {
    return {
      why: 'ssh does not know the key of the host',
      hint: `Connect once with \`${sshLine(remote)}\` in your terminal, compare the key with what its operator says, and accept it.`,
    }
  }
  if (/Permission denied \(|Too many authentication failures/i.test(said)) {
    return {
      why: 'the host takes none of your ssh keys',
      hint: `Check the user in the address. \`${sshLine(remote)}\` must not ask for anything: a key with a passphrase goes into the agent (\`ssh-add\`).`,
    }
  }
  return undefined
}

/** What a person types to meet the same host. git may have been told to take ssh for a web address. */
function sshLine({ url, kind }: Remote): string {
  if (kind !== 'ssh') return 'ssh HOST'
  const [, place, port] = /^ssh:\/\/([^/]+?)(?::(\d+))?\//.exec(url) ?? []
  if (place !== undefined) return port === undefined ? `ssh ${place}` : `ssh -p ${port} ${place}`
  const [, alias = 'HOST'] = /^((?:[^@]+@)?(?:\[.*\]|[^:]+)):/.exec(url) ?? []
  return `ssh ${alias.replace(/[[\]]/g, '')}`
}
