import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { NODE, ORLA, type Project } from './project.ts'

export interface Content {
  readonly type: string
  readonly text?: string
}

export interface Answer {
  readonly content: readonly Content[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** What the stories need of a client, whichever official one is behind it. */
export interface TestClient {
  readonly kind: ClientKind
  list(): Promise<{ name: string; description?: string; inputSchema: unknown }[]>
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<Answer>
  close(): Promise<void>
  /** How often the server said that its tools changed. */
  changes(): number
}

/** Both official clients; the second one in both eras. */
export const CLIENT_KINDS = ['v1', 'v2-legacy', 'v2-modern'] as const
export type ClientKind = (typeof CLIENT_KINDS)[number]

export const TRANSPORTS = ['http', 'stdio'] as const

const INFO = { name: 'story', version: '1.0.0' }
const MODERN = '2026-07-28'

/** What the person in front of a client says to a question; a client without one cannot be asked. */
export type Elicit = (question: {
  readonly message: string
  readonly requestedSchema?: unknown
}) => Promise<{ action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> }>

export async function connectHttp(kind: ClientKind, url: string, elicit?: Elicit): Promise<TestClient> {
  if (kind === 'v1') return adaptOld(oldClient(elicit), new OldHttp(new URL(url)))
  return adaptModern(kind, new ModernHttp(new URL(url)), elicit)
}

function oldClient(elicit: Elicit | undefined): OldClient {
  if (elicit === undefined) return new OldClient(INFO)
  // Named no mode, as clients did before there were several.
  const client = new OldClient(INFO, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params))
  return client
}

export async function connectStdio(
  kind: ClientKind,
  project: Project,
  args: readonly string[] = [],
  elicit?: Elicit,
): Promise<TestClient> {
  const server = {
    command: NODE,
    args: [ORLA, '--stdio', ...args],
    cwd: project.dir,
    env: { ...project.env },
    stderr: 'ignore' as const,
  }
  if (kind === 'v1') return adaptOld(oldClient(elicit), new OldStdio(server))
  return adaptModern(kind, new ModernStdio(server), elicit)
}

async function adaptOld(client: OldClient, transport: OldHttp | OldStdio): Promise<TestClient> {
  let changes = 0
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method === 'notifications/tools/list_changed') changes++
  }
  // Its own types disagree with each other under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<OldClient['connect']>[0])
  return finish({
    kind: 'v1',
    list: async () => (await client.listTools()).tools as Awaited<ReturnType<TestClient['list']>>,
    call: async (name, args = {}, signal) =>
      (await client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {})) as Answer,
    close: () => client.close(),
    changes: () => changes,
  })
}

async function adaptModern(
  kind: ClientKind,
  transport: ModernHttp | ModernStdio,
  elicit?: Elicit,
): Promise<TestClient> {
  let changes = 0
  const client = new ModernClient(INFO, {
    ...(elicit && { capabilities: { elicitation: { form: {} } } }),
    versionNegotiation: { mode: kind === 'v2-legacy' ? 'legacy' : { pin: MODERN } },
    listChanged: { tools: { autoRefresh: false, onChanged: () => changes++ } },
  })
  if (elicit) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params))
  await client.connect(transport)
  return finish({
    kind,
    list: async () => (await client.listTools()).tools as Awaited<ReturnType<TestClient['list']>>,
    call: async (name, args = {}, signal) =>
      (await client.callTool({ name, arguments: args }, signal ? { signal } : {})) as Answer,
    close: () => client.close(),
    changes: () => changes,
  })
}

function finish(client: TestClient): TestClient {
  onTestFinished(() => client.close())
  return client
}
