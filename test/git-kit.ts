import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { TestCertificate } from './certificate-kit.ts'

/** A real repository to fetch from. */
export interface TestRepository {
  readonly path: string
  git(...args: string[]): string
  /** Files as `path: text`; a text that begins with `#!` is executable. */
  commit(files: Readonly<Record<string, string>>): string
  /** A tree object made of raw entries, and a commit of it: git itself would refuse most of these. */
  commitRaw(entries: readonly RawEntry[]): string
}

export interface RawEntry {
  readonly mode: string
  readonly name: string | Buffer
  readonly content?: string
  /** Instead of content: an object that is there. */
  readonly id?: string
}

export function makeRepository(path: string): TestRepository {
  mkdirSync(path, { recursive: true })
  const git = (...args: string[]) => run(path, args)
  git('init', '--quiet', '--initial-branch=main', '.')
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@example.com')
  const objectOf = (type: string, content: string | Buffer) =>
    run(path, ['hash-object', '-w', '--literally', '-t', type, '--stdin'], content)
  return {
    path,
    git,
    commit(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), text)
        if (text.startsWith('#!')) chmodSync(join(path, name), 0o755)
      }
      git('add', '--all', '--force', '.')
      git('commit', '--quiet', '--allow-empty', '-m', 'change')
      return git('rev-parse', 'HEAD')
    },
    commitRaw(entries) {
      const parts = entries.flatMap(({ mode, name, content = '', id }) => [
        Buffer.from(`${mode} `),
        Buffer.from(name as string),
        Buffer.from([0]),
        Buffer.from(id ?? objectOf('blob', content), 'hex'),
      ])
      return git('commit-tree', '-m', 'raw', objectOf('tree', Buffer.concat(parts)))
    },
  }
}

function run(cwd: string, args: readonly string[], input?: string | Buffer): string {
  const output = execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(input === undefined ? {} : { input }),
  })
  return output.trim()
}

/** Serves the repositories of a folder as git does over HTTP. */
export interface TestGitServer {
  readonly url: string
  /** The credentials of each request, `user:password` or undefined. */
  readonly seen: (string | undefined)[]
  close(): Promise<void>
}

export interface TestGitServerOptions {
  /** What a request must bring, `user:password`; the user may be anything when it is empty. */
  readonly password?: string
  /** Makes it https. */
  readonly certificate?: TestCertificate
  /** Looks at a request before it is answered; true when it has answered by itself. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => boolean
}

export async function serveGit(folder: string, options: TestGitServerOptions = {}): Promise<TestGitServer> {
  const seen: (string | undefined)[] = []
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    const [, basic] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? []
    const credentials = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString()
    seen.push(credentials)
    if (options.before?.(request, response)) return
    if (options.password !== undefined && credentials?.split(':')[1] !== options.password) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
      return
    }
    answer(folder, request, response)
  }
  const { certificate } = options
  const server: Server =
    certificate === undefined ? createServer(listen) : createSecureServer({ ...certificate }, listen)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // Port 0 on an address gives an AddressInfo.
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Through `git http-backend`, which speaks CGI. */
function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  backend.stdin.on('error', () => {})
  request.pipe(backend.stdin)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  backend.on('close', () => {
    const output = Buffer.concat(chunks)
    const end = output.indexOf('\r\n\r\n')
    let status = 200
    for (const line of output.subarray(0, end).toString().split('\r\n')) {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
      if (name === 'Status') status = Number.parseInt(value, 10)
      else if (name !== '') response.setHeader(name, value)
    }
    response.writeHead(status).end(output.subarray(end + 4))
  })
}

/** The environment git is run with in tests: nothing of the machine's own configuration. */
export function testEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...more,
  }
}
