import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** A real sshd on this machine that lets one key in, and the ssh of a person who has it. Nothing is touched in `~/.ssh`. */
export interface SshHost {
  readonly port: number
  readonly user: string
  /** `Host` of the person's configuration that leads here. */
  readonly alias: string
  /** How often someone connected. */
  connections(): number
  /** For `GIT_SSH_COMMAND`: what is written behind it comes before the person's configuration. */
  ssh(who?: Person): string
  /** Where the person's ssh looks for the keys of hosts; another one may be given to it. */
  readonly knownHosts: string
  close(): Promise<void>
}

interface Person {
  /** Has a key that is not let in. */
  readonly isStranger?: boolean
  readonly knownHosts?: string
}

export interface SshHostOptions {
  /** Runs instead of what is asked for, which is in SSH_ORIGINAL_COMMAND. */
  readonly command?: string
}

const SSHD = '/usr/sbin/sshd'

export async function startSshHost({ command }: SshHostOptions = {}): Promise<SshHost> {
  const folder = mkdtempSync(join(tmpdir(), 'orla-ssh-'))
  const at = (name: string) => join(folder, name)
  for (const key of ['host', 'mine', 'strange'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', key, '-f', at(key)])
  const { username: user, uid } = userInfo()
  // One that root starts wants this folder, which Debian's own service would make.
  if (uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const settings = {
    HostKey: at('host'),
    AuthorizedKeysFile: at('mine.pub'),
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PermitRootLogin: 'yes',
    PasswordAuthentication: 'yes',
    ...(command === undefined ? {} : { ForceCommand: command }),
  }
  writeFileSync(at('sshd_config'), configOf(settings))

  const running = new Set<ChildProcess>()
  let connections = 0
  // Each connection has an sshd of its own, as under inetd: so all of them are known, and no port is guessed.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    connections++
    socket.on('error', () => {})
    const child = spawn(SSHD, ['-i', '-e', '-f', at('sshd_config')], { stdio: [socket, socket, 'ignore'] })
    running.add(child)
    child.once('exit', () => {
      running.delete(child)
      socket.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // port 0 on an address gives one
  writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(at('host.pub'), 'utf8')}`)

  return {
    port,
    user,
    alias: 'team',
    connections: () => connections,
    knownHosts: at('known_hosts'),
    ssh({ isStranger = false, knownHosts = at('known_hosts') } = {}) {
      const file = at(`config-${isStranger}-${knownHosts.split('/').at(-1)}`)
      const everywhere = {
        IdentityFile: at(isStranger ? 'strange' : 'mine'),
        IdentitiesOnly: 'yes',
        IdentityAgent: 'none',
        UserKnownHostsFile: knownHosts,
        GlobalKnownHostsFile: '/dev/null',
      }
      const alias = { HostName: '127.0.0.1', Port: String(port), User: user }
      writeFileSync(file, `Host team\n${configOf(alias)}Host *\n${configOf(everywhere)}`)
      return `ssh -F ${file}`
    },
    async close() {
      server.close()
      for (const child of running) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configOf(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} ${value}\n`)
    .join('')
}

/** Why there can be no such host here, for the titles of tests that are skipped; empty when there can. */
export async function whyNoSshHost(): Promise<string> {
  if (!existsSync(SSHD)) return ' (skipped: there is no sshd here)'
  let host: SshHost | undefined
  try {
    host = await startSshHost()
    const [program = '', ...args] = host.ssh().split(' ')
    const child = spawn(program, [...args, '-oBatchMode=yes', '-oConnectTimeout=20', host.alias, 'true'])
    const [status] = await once(child, 'exit')
    return status === 0 ? '' : ' (skipped: the sshd of this machine lets nobody in)'
  } catch (error) {
    return ` (skipped: ${(error as Error).message})`
  } finally {
    await host?.close()
  }
}
