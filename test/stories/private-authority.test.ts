import { basename, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '../certificate-kit.ts'
import { serveGit } from '../git-kit.ts'
import { makeProject, ok, type Project } from './project.ts'
import { makeRegistry, makeRepository, makeToolRepository, type Repository } from './repositories.ts'

/** A registry and a tool behind a certificate that nobody on this machine has signed for. */
async function serveBehind(names: readonly string[]) {
  const certificate = makeCertificate(names)
  // Repositories of stories are beside each other.
  const server = await serveGit(dirname(makeRepository().dir), { certificate })
  onTestFinished(() => server.close())
  const urlOf = ({ dir }: Repository) => `${server.url}/${basename(dir)}/.git`
  const registry = urlOf(makeRegistry({ fs: urlOf(makeToolRepository('fs', ['0.1.0'])) }))
  return { registry, origin: server.url, seen: server.seen, authority: certificate.cert }
}

/** A person with a home of their own: nothing of the machine's configuration of git. */
function makePerson(files: Readonly<Record<string, string>>): {
  project: Project
  readonly file: (name: string) => string
} {
  const project = makeProject({ 'orla.yaml': '', ...files })
  const env = { ...project.env, HOME: project.dir, GIT_CONFIG_NOSYSTEM: '1' }
  const orla: Project['orla'] = (args, options) =>
    project.orla(args, { ...options, env: { ...env, ...options?.env } })
  return { project: { ...project, env, orla }, file: (name) => join(project.dir, name) }
}

const askFor = (registry: string) => ['install', 'fs', '--registry', registry, '--yes']

describe('a git server with a certificate of a private authority', () => {
  it('Q49, Q94: is reached when the configuration of git names who signs for it', async () => {
    const { registry, origin, authority } = await serveBehind(['127.0.0.1'])
    const { project, file } = makePerson({ 'ca.pem': authority })
    project.write({ '.gitconfig': `[http "${origin}"]\n\tsslCAInfo = ${file('ca.pem')}\n` })
    const added = await project.orla(['registry', 'add', 'team', registry])
    expect([added.status, added.stderr]).toEqual([0, ''])
    expect(ok(await project.orla(['search', 'fs']))).toContain('The fs tool')
    ok(await project.orla(['install', 'fs', '--yes']))
    expect(ok(await project.orla(['call', 'fs']))).toBe('fs 0.1.0\n')
  })

  it('Q49, Q94: is reached when the environment names who signs for it', async () => {
    const { registry, authority } = await serveBehind(['127.0.0.1'])
    const { project, file } = makePerson({ 'ca.pem': authority })
    ok(await project.orla(askFor(registry), { env: { GIT_SSL_CAINFO: file('ca.pem') } }))
  })

  it('Q89: is refused with a way out, whatever the environment would let pass', async () => {
    const { registry, seen } = await serveBehind(['127.0.0.1'])
    const { project } = makePerson({})
    const env = { GIT_SSL_NO_VERIFY: '1' }
    const { status, stderr } = await project.orla(askFor(registry), { env })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/certificate/)])
    expect(stderr).toMatch(/ hint: .*sslCAInfo FILE/)
    const added = await project.orla(['registry', 'add', 'team', registry])
    expect([added.status, added.stderr]).toEqual([
      0,
      expect.stringMatching(/certificate.*\n hint: .*sslCAInfo/),
    ])
    expect(seen).toEqual([])
  })

  it('Q89: is refused under a name that the certificate does not have', async () => {
    const { registry, authority, seen } = await serveBehind(['git.example.com'])
    const { project, file } = makePerson({ 'ca.pem': authority })
    const { status, stderr } = await project.orla(askFor(registry), {
      env: { GIT_SSL_CAINFO: file('ca.pem') },
    })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/certificate/)])
    expect(seen).toEqual([])
  })
})
