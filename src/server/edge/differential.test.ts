import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkFor } from '../../../test/check-for.ts'
import type { EdgeChoice } from '../contract.ts'
import { type Listening, listenHttp, type StdioServer, serveStdio } from '../index.ts'
import { EDGES, type FakeDeps, settings, until } from '../test-kit.ts'
import {
  CATALOG,
  differentialDeps,
  ENVELOPE,
  PLAIN_CATALOG,
  requests,
  type Sent,
} from './differential-kit.ts'

/** Either way is asked the same; neither may be recognised by its answers. */
const SECONDS = 4
const RUNS = 2_000
/** So many answers at least are compared, however slow the machine is. */
const ENOUGH = 20

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
}

/** What happens between requests: the catalog is another, or names are written differently. */
const changes = fc.constantFrom('catalog', 'plain catalog', 'safe names', 'raw names')
const steps = fc.array(fc.oneof({ weight: 8, arbitrary: requests }, { weight: 1, arbitrary: changes }), {
  minLength: 1,
  maxLength: 8,
})

type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never

function change(deps: FakeDeps, what: string): void {
  if (what === 'catalog') deps.current = CATALOG
  if (what === 'plain catalog') deps.current = PLAIN_CATALOG
  if (what === 'safe names') deps.style = 'safe'
  if (what === 'raw names') deps.style = 'raw'
}

interface HttpSide {
  readonly deps: FakeDeps
  readonly server: Listening
  session: string
}

const sides: HttpSide[] = []

async function openSide(edge: EdgeChoice): Promise<HttpSide> {
  const deps = differentialDeps()
  const server = await listenHttp(deps, settings({ edge }))
  return { deps, server, session: '' }
}

async function openSession(side: HttpSide): Promise<void> {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const response = await fetch(side.server.url, { method: 'POST', headers, body: JSON.stringify(INITIALIZE) })
  await response.text()
  side.session = response.headers.get('mcp-session-id') ?? ''
}

beforeAll(async () => {
  for (const edge of EDGES) sides.push(await openSide(edge))
})
afterAll(() => Promise.all(sides.map(({ server }) => server.close())))

async function askHttp({ server, session }: HttpSide, { headers, body }: Sent) {
  const own = headers['mcp-session-id'] === 'SESSION' ? { ...headers, 'mcp-session-id': session } : headers
  const response = await fetch(server.url, { method: 'POST', headers: own, body: JSON.stringify(body) })
  const text = await response.text()
  const names = ['allow', 'retry-after', 'x-content-type-options', 'access-control-allow-origin']
  return {
    status: response.status,
    headers: names.map((name) => response.headers.get(name)),
    hasSession: response.headers.get('mcp-session-id') === session,
    messages: messagesOf(response.headers.get('content-type'), text),
  }
}

/** A single message may come as JSON or as an event; it means the same. */
function messagesOf(type: string | null, text: string): unknown[] {
  if (type !== 'text/event-stream') return text === '' ? [] : [JSON.parse(text)]
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)))
}

it('over HTTP the own edge and the SDK answer alike, in both eras, whatever is asked', async () => {
  let hot = 0
  const check = async (all: Steps) => {
    for (const side of sides) await openSession(side)
    for (const step of all) {
      if (typeof step === 'string') for (const { deps } of sides) change(deps, step)
      if (typeof step === 'string') continue
      const [own, sdk] = await Promise.all(sides.map((side) => askHttp(side, step)))
      expect(own).toEqual(sdk)
      if (own?.messages.some((message) => JSON.stringify(message).includes('"result"'))) hot++
    }
  }
  await checkFor(SECONDS, steps, check, { until: () => hot > ENOUGH, runs: RUNS })
  expect(hot).toBeGreaterThan(ENOUGH)
  const described = sides.map(({ deps }) => deps.records.filter(({ level }) => level === 'error').length)
  expect(described[0]).toBe(described[1])
})

interface StdioSide {
  readonly deps: FakeDeps
  readonly stdin: PassThrough
  readonly lines: string[]
  readonly server: StdioServer
}

function openPipes(edge: EdgeChoice): StdioSide {
  const deps = differentialDeps()
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const lines: string[] = []
  let rest = ''
  stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
  return { deps, stdin, lines, server: serveStdio(deps, { stdin, stdout }, { edge }) }
}

/** Everything that is said until a later request is answered and nothing is left to be. */
async function askStdio(
  side: StdioSide,
  message: unknown,
  marker: Record<string, unknown>,
): Promise<unknown[]> {
  side.lines.length = 0
  side.stdin.write(`${JSON.stringify(message)}\n`)
  await turn()
  side.stdin.write(`${JSON.stringify(marker)}\n`)
  const isMarker = (line: string) => JSON.parse(line).id === marker.id
  await until(() => side.lines.some(isMarker), 'the marker')
  await side.server.idle()
  await turn()
  return side.lines.filter((line) => !isMarker(line)).map((line) => JSON.parse(line))
}

it.each(['legacy', 'modern'] as const)('over stdio too: %s', async (era) => {
  const marker =
    era === 'legacy'
      ? { jsonrpc: '2.0', id: 'marker', method: 'tools/list' }
      : { jsonrpc: '2.0', id: 'marker', method: 'tools/list', params: { _meta: ENVELOPE } }
  const opening = era === 'legacy' ? INITIALIZE : { ...marker, id: 'opening' }
  let hot = 0
  const check = async (all: Steps) => {
    const pipes = EDGES.map(openPipes)
    const first = await Promise.all(pipes.map((side) => askStdio(side, opening, marker)))
    expect(first[0]).toEqual(first[1])
    for (const step of all) {
      if (typeof step === 'string') for (const { deps } of pipes) change(deps, step)
      if (typeof step === 'string') continue
      const [own, sdk] = await Promise.all(pipes.map((side) => askStdio(side, step.body, marker)))
      expect(own).toEqual(sdk)
      hot += own?.length ?? 0
    }
    await Promise.all(pipes.map(({ server }) => server.close()))
  }
  await checkFor(SECONDS, steps, check, { until: () => hot > ENOUGH, runs: RUNS })
  expect(hot).toBeGreaterThan(ENOUGH)
})
