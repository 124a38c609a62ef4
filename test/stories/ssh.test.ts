import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeTrap } from '../security/git-trap.ts'
import { type SshHost, type SshHostOptions, startSshHost, whyNoSshHost } from '../ssh-kit.ts'
import { makeProject, ok, type Project } from './project.ts'
import { makeRegistry, makeToolRepository, packageFiles, type Repository } from './repositories.ts'
import { openTerminal } from './terminal.ts'

const unable = await whyNoSshHost()

let host: SshHost
beforeAll(async () => {
  if (unable === '') host = await startSshHost()
})
afterAll(() => host?.close())

/** A person whose git takes this ssh. */
function projectOf(ssh: string): Project {
  const project = makeProject({ 'orla.yaml': '' })
  const env = { ...project.env, GIT_SSH_COMMAND: ssh }
  return { ...project, env, orla: (args, options) => project.orla(args, { ...options, env }) }
}

async function startOwn(options: SshHostOptions): Promise<SshHost> {
  const own = await startSshHost(options)
  onTestFinished(() => own.close())
  return own
}

const urlOf = ({ user, port }: SshHost, { dir }: Repository) => `ssh://${user}@127.0.0.1:${port}${dir}`

describe.skipIf(unable !== '')(`a registry over ssh${unable}`, () => {
  it.each([
    ['ssh://', urlOf],
    ['an alias of the ssh configuration', ({ alias }: SshHost, { dir }: Repository) => `${alias}:${dir}`],
  ])('Q49, Q94: is added, searched, installed from and updated: %s', async (_form, addressOf) => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const registry = addressOf(host, makeRegistry({ fs: addressOf(host, fs) }))
    const project = projectOf(host.ssh())
    const added = await project.orla(['registry', 'add', 'team', registry])
    expect([added.status, added.stderr]).toEqual([0, ''])
    const { registries } = JSON.parse(ok(await project.orla(['registry', 'list', '--json'])))
    expect(registries).toContainEqual(expect.objectContaining({ name: 'team', url: registry, trusted: true }))
    expect(ok(await project.orla(['search', 'fs']))).toContain('The fs tool')
    ok(await project.orla(['install', 'fs', '--yes']))
    expect(ok(await project.orla(['call', 'fs']))).toBe('fs 0.1.0\n')

    fs.write(packageFiles('fs', '0.2.0'))
    fs.commit('v0.2.0')
    expect(ok(await project.orla(['outdated']))).toMatch(/fs +0\.1\.0 +0\.2\.0/)
    ok(await project.orla(['update', 'fs', '--yes']))
    expect(ok(await project.orla(['call', 'fs']))).toBe('fs 0.2.0\n')

    // The second time nothing is asked of the host, and by its address nothing but its tags.
    const asked = host.connections()
    ok(await project.orla(['uninstall', 'fs']))
    ok(await project.orla(['install', 'fs@v0.1.0', '--offline', '--yes']))
    expect([ok(await project.orla(['call', 'fs'])), host.connections()]).toEqual(['fs 0.1.0\n', asked])
    const other = makeProject({ 'orla.yaml': '' })
    ok(await other.orla(['install', addressOf(host, fs), '--yes'], { env: project.env }))
  })

  it('Q49: is reached by the ssh that the configuration of git names', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const project = makeProject({
      'orla.yaml': '',
      'home/.gitconfig': `[core]\n\tsshCommand = ${host.ssh()}\n`,
    })
    const env = { HOME: join(project.dir, 'home') }
    ok(await project.orla(['install', `${host.alias}:${fs.dir}`, '--yes'], { env }))
  })

  it('Q94: that takes none of the keys says so at once, and nothing asks for a password', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const project = projectOf(host.ssh({ isStranger: true }))
    const url = urlOf(host, fs)
    const { status, stderr } = await project.orla(['install', url, '--yes'])
    expect([status, stderr]).toEqual([1, expect.stringContaining('the host takes none of your ssh keys')])
    expect(stderr).toContain(`ssh -p ${host.port} ${host.user}@127.0.0.1`)
    const terminal = openTerminal(project, ['install', url, '--yes'])
    expect(await terminal.ended).toBe(1)
    expect(terminal.screen()).toContain('the host takes none of your ssh keys')
    expect(terminal.screen()).not.toMatch(/password:|passphrase for/)
  })

  it('Q89: whose key ssh does not know, or knows otherwise, is not taken for it', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const folder = dirname(host.knownHosts)
    const ask = ['install', urlOf(host, fs), '--yes']
    const newcomer = projectOf(host.ssh({ knownHosts: join(folder, 'none') }))
    const unknown = await newcomer.orla(ask)
    expect([unknown.status, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('ssh does not know the key of the host'),
    ])
    expect(unknown.stderr).toContain(`Connect once with \`ssh -p ${host.port} ${host.user}@127.0.0.1\``)
    const terminal = openTerminal(newcomer, ask)
    expect(await terminal.ended).toBe(1)
    expect(terminal.screen()).not.toContain('Are you sure')
    expect(existsSync(join(folder, 'none'))).toBe(false)

    const before = readFileSync(join(folder, 'strange.pub'), 'utf8')
    writeFileSync(join(folder, 'other'), `[127.0.0.1]:${host.port} ${before}`)
    const changed = await projectOf(host.ssh({ knownHosts: join(folder, 'other') })).orla(ask)
    expect([changed.status, changed.stderr]).toEqual([
      1,
      expect.stringContaining('the key of the host is not the one that ssh knows'),
    ])
    expect(changed.stderr).toContain(`\`ssh-keygen -R '[127.0.0.1]:${host.port}'\` forgets the old key`)
  })

  it('Q89: that ends in the middle leaves nothing, and the next time all is well', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const registry = makeRegistry({ fs })
    const gate = join(registry.dir, 'half')
    // Lets a part of the answer through, and is then killed with the sshd that serves it.
    const command = `test -e ${gate} || exec sh -c "$SSH_ORIGINAL_COMMAND"; sh -c "$SSH_ORIGINAL_COMMAND" | { head -c 300; kill -9 $PPID; }`
    const own = await startOwn({ command })
    const project = projectOf(own.ssh())
    writeFileSync(gate, '')
    for (const ask of [
      ['install', 'fs', '--registry', urlOf(own, registry)],
      ['install', urlOf(own, fs)],
    ]) {
      const cut = await project.orla([...ask, '--yes'])
      expect([cut.status, cut.stderr]).toEqual([1, expect.stringContaining('check the connection')])
    }
    expect(existsSync(join(project.dir, 'tools'))).toBe(false)
    rmSync(gate)
    ok(await project.orla(['install', urlOf(own, fs), '--yes']))
    expect(ok(await project.orla(['call', 'fs']))).toBe('fs 0.1.0\n')
    expect(readdirSync(join(project.dir, 'tools'))).toEqual(['fs'])
  })
})

describe.skipIf(unable !== '')(`an address for ssh${unable}`, () => {
  it('Q89: of a host that takes the connection and says nothing is given up', async () => {
    const silent = createServer(() => {})
    onTestFinished(() => void silent.close())
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo // port 0 on an address gives one
    const project = projectOf('ssh -o ConnectTimeout=1')
    const { status, stderr } = await project.orla(['install', `ssh://127.0.0.1:${port}/fs`, '--yes'])
    expect([status, stderr]).toEqual([1, expect.stringContaining('timed out')])
  })

  it('Q49: that would be an option or a program is refused before ssh starts', async () => {
    const trap = makeTrap()
    const project = projectOf(trap.command)
    await project.orla(['install', 'ssh://127.0.0.1:1/fs', '--yes'])
    expect(trap.sprung()).toBe(true)
    const option = `-oProxyCommand=${trap.command}`
    const hostile = [
      `ssh://${option}/fs`,
      `ssh://%2d${option.slice(1)}/fs`,
      `ssh://${option}@127.0.0.1/fs`,
      `ssh://-lroot@127.0.0.1/fs`,
      `${option}@127.0.0.1:fs`,
      `[-oProxyCommand=x]:fs`,
      `team:-fs`,
      `ssh://127.0.0.1/-fs`,
      `ssh://127.0.0.1/fs\n${option}`,
      `team:fs\r\n${option}`,
      `ext::${trap.command}`,
      `EXT::${trap.command}`,
    ]
    await Promise.all(
      hostile.flatMap((address) =>
        [
          ['install', '--yes', '--', address],
          ['registry', 'add', '--', 'other', address],
          ['search', `--registry=${address}`, '--yes', 'fs'],
        ].map(async (args) => {
          const { status, stderr } = await project.orla(args)
          expect([address, status, /hint|forms|Orla takes|write/.test(stderr)]).toEqual([address, 2, true])
        }),
      ),
    )
    expect(trap.sprung()).toBe(false)
  })
})
