import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Catalog, Document, Prompt } from '../model/index.ts'
import { type Listening, listenHttp, type StdioServer, serveStdio } from './index.ts'
import { Pipes } from './pipes-kit.ts'
import { EDGES, type FakeDeps, fakeCatalog, fakeDeps, printed, settings, until } from './test-kit.ts'

// biome-ignore lint/suspicious/noExplicitAny: two SDKs, two result types, one shape
type AnyResult = any
type List = 'tools' | 'resources' | 'prompts'

/** What both SDKs' clients have in common. */
interface AnyClient {
  readonly era: 'modern' | 'legacy'
  readonly heard: Record<List, number>
  capabilities(): AnyResult
  listTools(): Promise<AnyResult>
  listResources(cursor?: string): Promise<AnyResult>
  listTemplates(): Promise<AnyResult>
  read(uri: string): Promise<AnyResult>
  listPrompts(): Promise<AnyResult>
  prompt(name: string, args?: Record<string, string>): Promise<AnyResult>
  close(): Promise<void>
}

type Server = Listening | StdioServer
type Open = (deps: FakeDeps, edge: 'own' | 'sdk') => Promise<{ server: Server; line: string | Pipes }>
type Connect = (line: string | Pipes) => Promise<AnyClient>

const openHttp: Open = async (deps, edge) => {
  const server = await listenHttp(deps, settings({ edge }))
  return { server, line: server.url }
}

const openStdio: Open = async (deps, edge) => {
  const pipes = new Pipes()
  return { server: serveStdio(deps, pipes, { edge }), line: pipes }
}

function counting() {
  const heard = { tools: 0, resources: 0, prompts: 0 }
  const listener = (list: List) => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => void heard[list]++,
  })
  const listChanged = {
    tools: listener('tools'),
    resources: listener('resources'),
    prompts: listener('prompts'),
  }
  return { heard, listChanged }
}

const INFO = { name: 'test', version: '0' }

const connectV1: Connect = async (line) => {
  const { heard, listChanged } = counting()
  const client = new ClientV1(INFO, { listChanged })
  const transport = typeof line === 'string' ? new HttpV1(new URL(line)) : line.transport()
  // The package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as TransportV1)
  return faceOf(client, 'legacy', heard)
}

function connectV2(mode: VersionNegotiationMode, era: AnyClient['era']): Connect {
  return async (line) => {
    const { heard, listChanged } = counting()
    const client = new ClientV2(INFO, { versionNegotiation: { mode }, listChanged })
    await client.connect(typeof line === 'string' ? new HttpV2(new URL(line)) : line.transport())
    return faceOf(client, era, heard)
  }
}

function faceOf(client: ClientV1 | ClientV2, era: AnyClient['era'], heard: Record<List, number>): AnyClient {
  return {
    era,
    heard,
    capabilities: () => client.getServerCapabilities(),
    listTools: () => client.listTools(),
    listResources: (cursor) => client.listResources(cursor === undefined ? {} : { cursor }),
    listTemplates: () => client.listResourceTemplates(),
    read: (uri) => client.readResource({ uri }),
    listPrompts: () => client.listPrompts(),
    prompt: (name, args) => client.getPrompt({ name, ...(args && { arguments: args }) }),
    close: () => client.close(),
  }
}

const LINES: readonly [string, Open][] = [
  ['HTTP', openHttp],
  ['stdio', openStdio],
]
const CLIENTS: readonly [string, Connect][] = [
  ['v1', connectV1],
  ['v2 legacy', connectV2('legacy', 'legacy')],
  ['v2 auto', connectV2('auto', 'modern')],
  ['v2 modern', connectV2({ pin: '2026-07-28' }, 'modern')],
]
const MATRIX = LINES.flatMap(([line, open]) =>
  CLIENTS.map(([name, connect]) => [name, line, open, connect] as const),
)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-context-'))
  writeFileSync(join(folder, 'first.json'), '{"input":{"text":"é"}}')
  writeFileSync(join(folder, 'notes.md'), '# Notes\n')
  writeFileSync(join(folder, 'picture.png'), Buffer.from([137, 80, 78, 71, 0, 255]))
  writeFileSync(join(folder, 'latin.txt'), Buffer.from([0xe9]))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function document(file: string, mimeType: string, more: Partial<Document> = {}): Document {
  return { uri: `orla://tool/echo/examples/${file}`, name: file, mimeType, file: join(folder, file), ...more }
}

const REVIEW: Prompt = {
  name: 'com.echo.review',
  title: 'Review',
  description: 'Reviews a text',
  arguments: [
    { name: 'text', description: 'What to review', required: true },
    { name: 'tone', required: false },
    { name: 'goal', required: true },
  ],
  text: 'Review {{text}} in a{{ tone }} voice for {{goal}}, {{goal}}. Keep {{other}} and {{}}.',
}

function catalogWith(more: Partial<Catalog>): Catalog {
  return { ...fakeCatalog('echo'), ...more }
}

function fullCatalog(): Catalog {
  return catalogWith({
    documents: [
      document('picture.png', 'image/png'),
      document('first.json', 'application/json', { description: 'The first example' }),
      document('notes.md', 'text/markdown; charset=utf-8'),
      document('latin.txt', 'text/plain'),
      document('gone.json', 'application/json'),
    ],
    prompts: [REVIEW, { name: 'com.echo.hello', arguments: [], text: 'Say hello' }],
  })
}

describe.each(EDGES)('hot requests answered by: %s', (edge) => {
  const cleanups: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  async function join(catalog: Catalog, open: Open, connect: Connect) {
    const deps = fakeDeps(catalog, async () => printed('hi'))
    const { server, line } = await open(deps, edge)
    cleanups.push(() => server.close())
    const client = await connect(line)
    cleanups.push(() => client.close().catch(() => {}))
    return { deps, server, client }
  }

  describe.each(MATRIX)('the official %s client over %s', (_name, _line, open, connect) => {
    it('Q101, Q126: finds and reads the documents of packages', async () => {
      const { client } = await join(fullCatalog(), open, connect)
      expect(client.capabilities()).toEqual({
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
      })
      const { resources, nextCursor } = await client.listResources()
      expect(nextCursor).toBeUndefined()
      expect(resources.map(({ name }: { name: string }) => name)).toEqual([
        'first.json',
        'gone.json',
        'latin.txt',
        'notes.md',
        'picture.png',
      ])
      expect(resources[0]).toEqual({
        uri: 'orla://tool/echo/examples/first.json',
        name: 'first.json',
        description: 'The first example',
        mimeType: 'application/json',
      })
      expect((await client.listTemplates()).resourceTemplates).toEqual([])
      const contents = async (file: string) =>
        (await client.read(`orla://tool/echo/examples/${file}`)).contents
      expect(await contents('first.json')).toEqual([
        {
          uri: 'orla://tool/echo/examples/first.json',
          mimeType: 'application/json',
          text: '{"input":{"text":"é"}}',
        },
      ])
      expect((await contents('notes.md'))[0].text).toBe('# Notes\n')
      expect((await contents('picture.png'))[0].blob).toBe('iVBORwD/')
      expect((await contents('latin.txt'))[0]).toMatchObject({ mimeType: 'text/plain', blob: '6Q==' })
    })

    it('hears clearly what cannot be read', async () => {
      const { client } = await join(fullCatalog(), open, connect)
      await expect(client.read('orla://tool/echo/examples/gone.json')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('is not there any more (list the resources again)'),
        data: { uri: 'orla://tool/echo/examples/gone.json' },
      })
      await expect(client.read('file:///etc/passwd')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(
          'There is no resource file:///etc/passwd (list the resources to see them)',
        ),
      })
      await expect(client.listResources('made up')).rejects.toMatchObject({ code: -32602 })
    })

    it('Q126: lists prompts and gets them filled in', async () => {
      const { client } = await join(fullCatalog(), open, connect)
      const { prompts } = await client.listPrompts()
      expect(prompts).toEqual([
        { name: 'com.echo.hello', arguments: [] },
        {
          name: 'com.echo.review',
          title: 'Review',
          description: 'Reviews a text',
          arguments: REVIEW.arguments,
        },
      ])
      const result = await client.prompt('com.echo.review', { text: '{{goal}}', goal: '$& fun', extra: 'x' })
      expect(result.description).toBe('Reviews a text')
      expect(result.messages).toEqual([
        {
          role: 'user',
          content: {
            type: 'text',
            text: 'Review {{goal}} in a voice for $& fun, $& fun. Keep {{other}} and {{}}.',
          },
        },
      ])
      expect((await client.prompt('com.echo.hello')).messages[0].content.text).toBe('Say hello')
      await expect(client.prompt('com.echo.review', { tone: ' kind' })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('The prompt `com.echo.review` needs the arguments `text`, `goal`'),
      })
      await expect(client.prompt('com.echo.helo')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('did you mean `com.echo.hello`?'),
      })
    })

    it('Q28: hears which list changed, and keeps each until it lists it again', async () => {
      const { client, deps, server } = await join(catalogWith({}), open, connect)
      expect((await client.listTools()).tools).toHaveLength(1)
      expect((await client.listResources()).resources).toEqual([])
      expect((await client.listPrompts()).prompts).toEqual([])
      deps.current = { ...fullCatalog(), tools: fakeCatalog('echo', 'new').tools }
      // The stream that carries changes opens in the background.
      await until(() => {
        server.documentsChanged()
        return client.heard.resources > 0
      }, 'the announcement of documents')
      expect(client.heard).toMatchObject({ tools: 0, prompts: 0 })
      server.promptsChanged()
      await until(() => client.heard.prompts > 0, 'the announcement of prompts')
      expect(client.heard.tools).toBe(0)

      const early = client.read('orla://tool/echo/examples/first.json')
      if (client.era === 'legacy') await expect(early).rejects.toMatchObject({ code: -32602 })
      else expect((await early).contents).toHaveLength(1)
      expect((await client.listResources()).resources).toHaveLength(5)
      expect((await client.read('orla://tool/echo/examples/first.json')).contents).toHaveLength(1)
      const unlisted = client.prompt('com.echo.hello')
      if (client.era === 'legacy') await expect(unlisted).rejects.toMatchObject({ code: -32602 })
      else expect((await unlisted).messages).toHaveLength(1)
      expect((await client.listPrompts()).prompts).toHaveLength(2)
      expect((await client.prompt('com.echo.hello')).messages).toHaveLength(1)
    })

    it('Q101: reads what the server says about a tool', async () => {
      const catalog = catalogWith({})
      const deps = {
        ...fakeDeps(catalog, async () => printed('hi')),
        describe: ({ name, description }: { name: string; description: string }) =>
          `${description}. Example: ${name} 1`,
      }
      const { server, line } = await open(deps, edge)
      cleanups.push(() => server.close())
      const client = await connect(line)
      cleanups.push(() => client.close().catch(() => {}))
      for (let asked = 0; asked < 2; asked++)
        expect((await client.listTools()).tools[0].description).toBe('Runs echo. Example: echo 1')
      // Another server over the same catalog says what it says.
      const plain = await join(catalog, open, connect)
      expect((await plain.client.listTools()).tools[0].description).toBe('Runs echo')
    })
  })
})
