import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { writeFiles } from './files.ts'

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/mcpkg')

/** A copy of one of the spec's own examples, changed where a test needs it. */
export function fixture(name: string, change: (manifest: Manifest) => Manifest = (same) => same): string {
  const dir = mkdtempSync(join(tmpdir(), 'orla-mcpkg-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  cpSync(join(FIXTURES, name), dir, { recursive: true })
  const file = join(dir, 'manifest.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest // a fixture
  writeFileSync(file, JSON.stringify(change(manifest), null, 2))
  return dir
}

export interface Manifest {
  readonly version: string
  readonly [key: string]: unknown
}

/** A folder with a small package of its own; `run` is its program. */
export function localPackage(
  toolId: string,
  version: string,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const dir = mkdtempSync(join(tmpdir(), 'orla-mcpkg-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFiles(dir, packageFiles(toolId, version, more))
  return dir
}

export function packageFiles(
  toolId: string,
  version: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  const manifest = {
    toolId,
    name: 'Says its version',
    version,
    description: `Says ${version}.`,
    capabilities: ['sample'],
    implementations: [{ id: 'node', endpoint: { type: 'local', command: 'node ./run.mjs' } }],
    input_schema: { type: 'object' },
    output_schema: { type: 'object' },
    ...more,
  }
  return {
    'manifest.json': JSON.stringify(manifest, null, 2),
    'run.mjs': `console.log(JSON.stringify({ said: '${version}', given: JSON.parse(process.argv.at(-1)) }))\n`,
  }
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server on this machine; what was asked of it, in order. */
export async function serveHttp(
  answer: (request: Request) => {
    status?: number
    body: string | Buffer
    type?: string
    headers?: Readonly<Record<string, string>>
  },
): Promise<{ readonly url: string; readonly requests: readonly Request[] }> {
  const requests: Request[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      const request = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(request)
      const { status = 200, body, type = 'application/json', headers: more = {} } = answer(request)
      response.writeHead(status, { 'content-type': type, ...more }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  // Port 0 on an address gives an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
