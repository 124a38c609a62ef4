import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  makeRepository,
  serveGit,
  type TestGitServer,
  type TestRepository,
  testEnvironment,
} from '../../../test/git-kit.ts'
import { createNodeStarter } from '../process/node-starter.ts'
import type { ProcessStarter } from '../process/starter.ts'
import { createGitCache } from './cache.ts'
import { createGit, type Git } from './git.ts'
import { listTags } from './list-tags.ts'

let starter: ProcessStarter
let folder: string
let repository: TestRepository
let git: Git
let servers: TestGitServer[]

beforeAll(() => {
  starter = createNodeStarter()
})
afterAll(() => starter.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-git-'))
  repository = makeRepository(join(folder, 'repos', 'fs'))
  repository.commit({ 'tool.yaml': 'name: fs' })
  repository.git('tag', 'v1.0.0')
  git = createGit({ starter, env: testEnvironment() })
  servers = []
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()))
  rmSync(folder, { recursive: true, force: true })
})

async function serve(...args: Parameters<typeof serveGit>): Promise<TestGitServer> {
  const server = await serveGit(...args)
  servers.push(server)
  return server
}

const withEnv = (env: Record<string, string>) => createGit({ starter, env: testEnvironment(env) })

describe('listTags', () => {
  it('Q53 Q64: asks the repository, and takes the commit behind an annotated tag', async () => {
    const first = repository.git('rev-parse', 'HEAD')
    const second = repository.commit({ a: 'b' })
    repository.git('tag', '-a', 'v1.1.0', '-m', 'one')
    repository.git('tag', '-a', 'nested', 'v1.1.0', '-m', 'of a tag')
    const tags = [
      { tag: 'nested', commit: second },
      { tag: 'v1.0.0', commit: first },
      { tag: 'v1.1.0', commit: second },
    ]
    const server = await serve(join(folder, 'repos'))
    for (const url of [repository.path, `file://${repository.path}`, `${server.url}/fs`])
      await expect(listTags(git, url)).resolves.toEqual(tags)
  })

  it('is empty for a repository without tags', async () => {
    const bare = makeRepository(join(folder, 'bare'))
    await expect(listTags(git, bare.path)).resolves.toEqual([])
  })
})

describe('git', () => {
  it('does not hear what the environment or a configuration tells it to do otherwise', async () => {
    const marker = join(folder, 'ran')
    const evil = makeRepository(join(folder, 'evil'))
    evil.git('config', `url.ext::touch ${marker} %S.insteadOf`, repository.path)
    const global = join(folder, 'gitconfig')
    writeFileSync(
      global,
      `[init]\n\ttemplateDir = ${join(folder, 'template')}\n[core]\n\thooksPath = ${join(folder, 'hooks')}\n\tfsmonitor = touch ${marker}\n`,
    )
    for (const place of ['template/hooks', 'hooks']) {
      mkdirSync(join(folder, place), { recursive: true })
      writeFileSync(join(folder, place, 'reference-transaction'), `#!/bin/sh\ntouch ${marker}\n`, {
        mode: 0o755,
      })
    }
    const told = withEnv({
      GIT_DIR: join(evil.path, '.git'),
      GIT_WORK_TREE: '/',
      GIT_CONFIG_GLOBAL: global,
      GIT_CONFIG_PARAMETERS: `'core.sshCommand'='touch ${marker}'`,
      GIT_TRACE: join(folder, 'trace'),
      GIT_ALLOW_PROTOCOL: 'ext:file',
      GIT_TEMPLATE_DIR: join(folder, 'template'),
    })
    await expect(listTags(told, repository.path)).resolves.toHaveLength(1)
    const cache = createGitCache(told, join(folder, 'cache'))
    await cache.ensure(repository.path, 'v1.0.0', undefined)
    const [copy = ''] = readdirSync(join(folder, 'cache/git'))
    expect(readdirSync(join(folder, 'cache/git', copy))).not.toContain('hooks')
    expect(existsSync(marker)).toBe(false)
    expect(existsSync(join(folder, 'trace'))).toBe(false)
  })

  it('never runs a program that a configuration puts in place of an address', async () => {
    const marker = join(folder, 'ran')
    const global = join(folder, 'gitconfig')
    writeFileSync(
      global,
      `[url "ext::touch ${marker} %S "]\n\tinsteadOf = https://host/\n[protocol "ext"]\n\tallow = always\n`,
    )
    await expect(listTags(withEnv({ GIT_CONFIG_GLOBAL: global }), 'https://host/x')).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining("transport 'ext' not allowed"),
    })
    expect(existsSync(marker)).toBe(false)
  })

  it('lets http through only for this machine', async () => {
    const server = await serve(join(folder, 'repos'))
    const global = join(folder, 'gitconfig')
    writeFileSync(global, `[url "${server.url}/"]\n\tinsteadOf = https://host/\n`)
    await expect(listTags(withEnv({ GIT_CONFIG_GLOBAL: global }), 'https://host/fs')).rejects.toMatchObject({
      message: expect.stringContaining("transport 'http' not allowed"),
    })
    await expect(listTags(git, `${server.url}/fs`)).resolves.toHaveLength(1)
  })

  it('says what to install when there is no git', async () => {
    const none = createGit({ starter, env: { PATH: join(folder, 'empty') } })
    await expect(listTags(none, repository.path)).rejects.toMatchObject({
      code: 'E_GIT_MISSING',
      hint: expect.stringContaining('apt install git'),
    })
  })

  it('tells what cannot be reached from what is not there', async () => {
    const server = await serve(join(folder, 'repos'))
    const gone = await serveGit(join(folder, 'repos'))
    await gone.close()
    const cases: [string, string, RegExp][] = [
      [join(folder, 'none'), 'E_GIT', /there is no git repository/],
      [`${server.url}/none`, 'E_GIT', /not found/],
      [`${gone.url}/fs`, 'E_NETWORK', /connect/],
      ['https://no-such-host.invalid/x', 'E_NETWORK', /resolve host/],
      ['ssh://no-such-host.invalid/x', 'E_NETWORK', /resolve hostname/],
    ]
    for (const [url, code, words] of cases)
      await expect(listTags(git, url), url).rejects.toMatchObject({
        code,
        message: expect.stringMatching(words),
        hint: expect.any(String),
      })
  })

  it('gives up on a server that does not answer, and when it is told to', async () => {
    const silent = createServer(() => {})
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/fs`
    try {
      await expect(listTags(git, url, { timeoutMs: 200 })).rejects.toMatchObject({
        code: 'E_NETWORK',
        message: expect.stringContaining('in time'),
      })
      const stop = new AbortController()
      silent.once('connection', () => stop.abort())
      await expect(listTags(git, url, { signal: stop.signal })).rejects.toMatchObject({
        code: 'E_INTERRUPTED',
      })
    } finally {
      silent.close()
    }
  })

  it('refuses bad addresses and tags before git is started', async () => {
    const never = createGit({
      env: {},
      starter: { run: () => Promise.reject(new Error('started')) },
    })
    const cache = createGitCache(never, join(folder, 'cache'))
    await expect(listTags(never, '--upload-pack=touch x')).rejects.toMatchObject({ code: 'E_SOURCE' })
    await expect(cache.ensure('ext::sh', 'v1.0.0', undefined)).rejects.toMatchObject({ code: 'E_SOURCE' })
    await expect(cache.ensure('/x', '--all', undefined)).rejects.toMatchObject({ code: 'E_SOURCE' })
    await expect(cache.commitOf('/x', '-v1')).rejects.toMatchObject({ code: 'E_SOURCE' })
    await expect(cache.readFile('/x', '../../etc/passwd')).rejects.toMatchObject({ code: 'E_SOURCE' })
    await expect(cache.exportTree('/x', 'HEAD', join(folder, 'out'))).rejects.toMatchObject({
      code: 'E_SOURCE',
    })
  })
})

const SECRET = 's3cr3t-t0ken/+='

describe('private repositories', () => {
  it('Q94: a token opens its host, and is neither in arguments, on disk nor in messages', async () => {
    const commandLines: string[] = []
    const server = await serve(join(folder, 'repos'), {
      password: SECRET,
      before: () => {
        commandLines.push(
          ...readdirSync('/proc')
            .filter((name) => /^\d+$/.test(name))
            .map(commandLine),
        )
        return false
      },
    })
    const url = `${server.url}/fs`
    const cache = createGitCache(git, join(folder, 'cache'))
    await expect(cache.listTags(url, { token: SECRET })).resolves.toHaveLength(1)
    await cache.ensure(url, 'v1.0.0', undefined, { token: SECRET })
    await expect(cache.readFile(url, 'tool.yaml', { token: SECRET })).resolves.toBe('name: fs')
    expect(server.seen).toContain(`x-access-token:${SECRET}`)
    expect(commandLines.filter((line) => line.includes('ls-remote')).length).toBeGreaterThan(0)
    expect(commandLines.filter((line) => line.includes(SECRET))).toEqual([])
    for (const file of filesBelow(join(folder, 'cache')))
      expect(readFileSync(file).includes(SECRET)).toBe(false)

    for (const options of [{}, { token: 'wrong-t0ken' }]) {
      const error = await cache.listTags(url, options).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'E_GIT', hint: expect.stringContaining('token') })
      expect(JSON.stringify(error) + String(error)).not.toContain('wrong-t0ken')
    }
  })

  it('a password in the address works the same, and is not shown', async () => {
    const server = await serve(join(folder, 'repos'), { password: 'p@ss' })
    const cache = createGitCache(git, join(folder, 'cache'))
    const url = `${server.url.replace('//', '//me:p%40ss@')}/fs`
    await cache.ensure(url, 'v1.0.0', undefined)
    expect(server.seen).toContain('me:p@ss')
    await expect(cache.commitOf(`${server.url}/fs`, 'v1.0.0')).resolves.toBeDefined()
    const error = await cache
      .listTags(`${server.url.replace('//', '//me:wr0ng@')}/fs`)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'E_GIT', message: expect.stringContaining(`${server.url}/fs`) })
    expect(String(error)).not.toContain('wr0ng')
  })

  it('a token does not follow a redirect to another host, nor reach the stores of the user', async () => {
    const other = await serve(join(folder, 'repos'), { password: SECRET })
    const server = await serve(join(folder, 'repos'), {
      before(request, response) {
        if (request.headers.authorization === undefined)
          response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
        else response.writeHead(302, { location: `${other.url}${request.url}` }).end()
        return true
      },
    })
    const store = join(folder, 'store')
    const global = join(folder, 'gitconfig')
    writeFileSync(global, `[credential]\n\thelper = store --file=${store}\n`)
    const careful = withEnv({ GIT_CONFIG_GLOBAL: global })
    await expect(listTags(careful, `${server.url}/fs`, { token: SECRET })).rejects.toMatchObject({
      code: 'E_GIT',
    })
    expect(server.seen).toContain(`x-access-token:${SECRET}`)
    expect(other.seen.length).toBeGreaterThan(0)
    expect(other.seen.filter((credentials) => credentials !== undefined)).toEqual([])
    await listTags(careful, `${other.url}/fs`, { token: SECRET })
    expect(existsSync(store)).toBe(false)
  })

  it("the user's credential helpers keep working, also from configuration in the environment", async () => {
    const server = await serve(join(folder, 'repos'), { password: 'pw' })
    const store = join(folder, 'store')
    writeFileSync(store, `${server.url.replace('//', '//user:pw@')}\n`)
    const global = join(folder, 'gitconfig')
    writeFileSync(global, `[credential]\n\thelper = store --file=${store}\n`)
    await expect(listTags(withEnv({ GIT_CONFIG_GLOBAL: global }), `${server.url}/fs`)).resolves.toHaveLength(
      1,
    )
    const variables = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'credential.helper',
      GIT_CONFIG_VALUE_0: `store --file=${store}`,
    }
    await expect(listTags(withEnv(variables), `${server.url}/fs`)).resolves.toHaveLength(1)
    await expect(listTags(withEnv(variables), `${server.url}/fs`, { token: 'pw' })).resolves.toHaveLength(1)
    expect(server.seen).toContain('user:pw')
    expect(server.seen).toContain('x-access-token:pw')
  })

  it('refuses a token that would be two lines to git', async () => {
    await expect(listTags(git, 'https://host/x', { token: 'a\nhost=evil' })).rejects.toMatchObject({
      code: 'E_SOURCE',
    })
  })
})

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
