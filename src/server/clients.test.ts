import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import type { Call, CallResult } from '../model/index.ts'
import { type Listening, listenHttp } from './index.ts'
import { EDGES, failed, fakeCatalog, fakeDeps, fakeTool, printed, settings, until } from './test-kit.ts'

interface AnyClient {
  readonly era: 'modern' | 'legacy'
  names(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<AnyResult>
  readonly changes: () => number
  ping(): Promise<unknown>
  close(): Promise<void>
}
interface CallOptions {
  signal?: AbortSignal
  onprogress?: (progress: unknown) => void
}
// biome-ignore lint/suspicious/noExplicitAny: two SDKs, two result types, one shape
type AnyResult = any

type Connect = (url: string) => Promise<AnyClient>

const INFO = { name: 'test', version: '0' }

const connectV1: Connect = async (url) => {
  const client = new ClientV1(INFO)
  const transport = new HttpV1(new URL(url))
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++)
  // The package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as TransportV1)
  return {
    era: 'legacy',
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
    changes: () => changes,
    ping: () => client.ping(),
    close: async () => {
      await transport.terminateSession()
      await client.close()
    },
  }
}

function connectV2(mode: VersionNegotiationMode, era: AnyClient['era']): Connect {
  return async (url) => {
    let changes = 0
    const client = new ClientV2(INFO, {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    })
    const transport = new HttpV2(new URL(url))
    await client.connect(transport)
    return {
      era,
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
      changes: () => changes,
      ping: () => (era === 'legacy' ? client.ping() : client.discover()),
      close: async () => {
        if (era === 'legacy') await transport.terminateSession()
        await client.close()
      },
    }
  }
}

const CLIENTS: readonly [string, Connect][] = [
  ['v1', connectV1],
  ['v2 legacy', connectV2('legacy', 'legacy')],
  ['v2 auto', connectV2('auto', 'modern')],
  ['v2 modern', connectV2({ pin: '2026-07-28' }, 'modern')],
]

describe.each(EDGES)('hot requests answered by: %s', (edge) => {
  const cleanups: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  async function serve(behave: (call: Call) => Promise<CallResult> | CallResult, ...tools: string[]) {
    const deps = fakeDeps(fakeCatalog(...(tools.length ? tools : ['echo'])), async (call) => behave(call))
    const server = await listenHttp(deps, settings({ edge }))
    cleanups.push(() => server.close())
    return { deps, server }
  }

  async function join(connect: Connect, server: Listening): Promise<AnyClient> {
    const client = await connect(server.url)
    cleanups.push(() => client.close().catch(() => {}))
    return client
  }

  describe.each(CLIENTS)('Q32: the official %s client over HTTP', (_name, connect) => {
    it('Q16: lists, calls and hears clear messages', async () => {
      const calls: Call[] = []
      const { server } = await serve(
        (call) => {
          calls.push(call)
          return printed(`hello ${JSON.stringify(call.arguments.who)}\n`)
        },
        'echo',
        'Zed',
        'a.b',
      )
      const client = await join(connect, server)
      expect(await client.names()).toEqual(['Zed', 'a.b', 'echo'])
      const result = await client.call('echo', { who: 'you' })
      expect(result.content).toEqual([{ type: 'text', text: 'hello "you"\n' }])
      expect(result.structuredContent).toEqual({ stdout: 'hello "you"\n', stderr: '', exit_code: 0 })
      expect(calls[0]?.caller).toMatchObject({ transport: 'http', era: client.era })
      await expect(client.ping()).resolves.toBeDefined()
      expect(server.stats().sessions).toBe(client.era === 'legacy' ? 1 : 0)
    })

    it('Q15: not found, timeout, non-zero exit and system error are four outcomes', async () => {
      const { server } = await serve(
        ({ name }) => {
          if (name === 'exits') return printed('', 'no such file\n', 3)
          return name === 'slow' ? failed('timeout', 'ran too long') : failed('spawn', 'cannot start')
        },
        'exits',
        'slow',
        'broken',
      )
      const client = await join(connect, server)
      await expect(client.call('nobody')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/nobody.*tools\/list names them/),
      })
      const reasons = await Promise.all(
        ['exits', 'slow', 'broken'].map(async (name) => {
          const result = await client.call(name)
          expect(result.isError).toBe(true)
          return [result._meta['orla/reason'], result.content[0].text]
        }),
      )
      expect(reasons).toEqual([
        ['exit', ''],
        ['timeout', 'ran too long'],
        ['spawn', 'cannot start'],
      ])
      const exits = await client.call('exits')
      expect(exits.content.map((block: { text: string }) => block.text)).toEqual([
        '',
        'stderr: no such file\n',
        'exit_code: 3',
      ])
      expect(exits.structuredContent).toEqual({ stdout: '', stderr: 'no such file\n', exit_code: 3 })
    })

    it('Q12: a cancelled call is aborted and leaves nothing behind', async () => {
      let aborted = 0
      const { deps, server } = await serve(
        (call) =>
          new Promise((resolve) => {
            call.signal.addEventListener('abort', () => {
              aborted++
              resolve(failed('cancelled', 'cancelled'))
            })
          }),
      )
      const client = await join(connect, server)
      const controller = new AbortController()
      const call = client.call('echo', {}, { signal: controller.signal })
      await until(() => server.stats().calls === 1, 'the call')
      controller.abort('enough')
      await expect(call).rejects.toThrow()
      await until(() => aborted === 1 && server.stats().calls === 0, 'the abort')
      const responseEnded = () => deps.records.some(({ rpc_method }) => rpc_method === 'tools/call')
      await until(responseEnded, 'the end of the response stream')
      await expect(client.names()).resolves.toEqual(['echo'])
    })

    it('reports progress to who asked for it, only upwards, and none after the answer', async () => {
      let late: Call['progress']
      const { server } = await serve(async (call) => {
        late = call.progress
        call.progress?.({ progress: 1, total: 3 })
        call.progress?.({ progress: 1 })
        call.progress?.({ progress: 3, message: 'nearly' })
        return printed('done')
      })
      const client = await join(connect, server)
      const heard: unknown[] = []
      const result = await client.call('echo', {}, { onprogress: (progress) => void heard.push(progress) })
      expect(result.content[0].text).toBe('done')
      expect(heard).toEqual([
        { progress: 1, total: 3 },
        { progress: 3, message: 'nearly' },
      ])
      late?.({ progress: 9 })
      await client.call('echo')
      expect(late).toBeUndefined()
      expect(heard).toHaveLength(2)
    })

    it('Q28: hears that the tools changed, and keeps what it listed until it lists again (reading i)', async () => {
      const { deps, server } = await serve(({ name }) => printed(name), 'old')
      const client = await join(connect, server)
      expect(await client.names()).toEqual(['old'])
      // The stream that carries changes opens in the background.
      deps.current = fakeCatalog('new')
      await until(() => {
        server.toolsChanged()
        return client.changes() > 0
      }, 'the announcement')
      if (client.era === 'legacy') {
        expect((await client.call('old')).content[0].text).toBe('old')
        await expect(client.call('new')).rejects.toMatchObject({ code: -32602 })
      } else {
        expect((await client.call('new')).content[0].text).toBe('new')
        await expect(client.call('old')).rejects.toMatchObject({ code: -32602 })
      }
      expect(await client.names()).toEqual(['new'])
      expect((await client.call('new')).content[0].text).toBe('new')
      await expect(client.call('old')).rejects.toMatchObject({ code: -32602 })
    })

    it('Q28: before its first list a connection sees the newest', async () => {
      const { deps, server } = await serve(({ name }) => printed(name), 'old')
      const client = await join(connect, server)
      deps.current = fakeCatalog('new')
      expect((await client.call('new')).content[0].text).toBe('new')
    })

    it('Q30: a crash of our own is logged with its stack, answered, and survived', async () => {
      let crash = true
      const { deps, server } = await serve(() => {
        if (crash) throw new TypeError('a bug')
        return printed('fine')
      })
      const client = await join(connect, server)
      await expect(client.call('echo')).rejects.toMatchObject({ code: -32603 })
      const record = deps.records.find(({ msg }) => msg === 'recovered panic')
      expect(record).toMatchObject({ level: 'error', tool: 'echo', error: 'a bug', era: client.era })
      expect(record?.stack).toContain('clients.test.ts')
      crash = false
      expect((await client.call('echo')).content[0].text).toBe('fine')
      const { current } = deps
      Object.defineProperty(deps, 'current', {
        configurable: true,
        get: () => {
          throw new RangeError('another bug')
        },
      })
      await expect(client.names()).rejects.toMatchObject({ code: -32603 })
      expect(deps.records).toContainEqual(
        expect.objectContaining({ msg: 'recovered panic', rpc_method: 'tools/list', error: 'another bug' }),
      )
      Object.defineProperty(deps, 'current', { value: current })
      expect(await client.names()).toEqual(['echo'])
    })

    it('gives structured values to tools with an output schema, whatever their shape', async () => {
      const deps = fakeDeps(
        fakeCatalog(
          fakeTool('list', { outputSchema: { type: 'array', items: { type: 'number' } } }),
          fakeTool('point', { outputSchema: { type: 'object', properties: { x: { type: 'number' } } } }),
        ),
        async ({ name }) => ({
          ok: true,
          ms: 1,
          output: {
            kind: 'value',
            value: name === 'list' ? [1, 2] : { x: 1 },
            stderr: { text: 'careful', encoding: 'utf8', bytes: 7 },
          },
        }),
      )
      const server = await listenHttp(deps, settings({ edge }))
      cleanups.push(() => server.close())
      const client = await join(connect, server)
      await client.names()
      const list = await client.call('list')
      expect(list.content.map((block: { text: string }) => block.text)).toEqual(['[1,2]', 'stderr: careful'])
      expect(list.structuredContent).toEqual(client.era === 'legacy' ? { result: [1, 2] } : [1, 2])
      expect((await client.call('point')).structuredContent).toEqual({ x: 1 })
    })

    it('speaks safe names both ways when asked to', async () => {
      const { deps, server } = await serve(({ name }) => printed(name), 'com.acme.fs', 'plain')
      deps.style = 'safe'
      const client = await join(connect, server)
      expect(await client.names()).toEqual(['com_acme_fs', 'plain'])
      expect((await client.call('com_acme_fs')).content[0].text).toBe('com.acme.fs')
    })

    it('ends the calls of a client that leaves', async () => {
      const signals: AbortSignal[] = []
      const { server } = await serve(
        ({ signal }) =>
          new Promise((resolve) => {
            signals.push(signal)
            signal.addEventListener('abort', () => resolve(failed('cancelled', 'gone')))
          }),
      )
      const client = await join(connect, server)
      const call = client.call('echo').catch(() => 'ended')
      await until(() => signals.length === 1, 'the call')
      await client.close()
      expect(await call).toBe('ended')
      await until(() => signals[0]?.aborted === true && server.stats().calls === 0, 'the abort')
    })

    it('Q30: every request is logged with its timing', async () => {
      const { deps, server } = await serve(() => printed('x'))
      const client = await join(connect, server)
      await client.call('echo')
      const isCall = (record: { [field: string]: unknown }) => record.rpc_method === 'tools/call'
      await until(() => deps.records.some(isCall), 'the record')
      expect(deps.records.find(isCall)).toMatchObject({
        level: 'debug',
        msg: 'http request',
        method: 'POST',
        status: 200,
        era: client.era,
        duration_ms: expect.any(Number),
        connection: expect.stringMatching(/^socket-/),
        request_id: expect.anything(),
        ...(client.era === 'legacy' && { session: 'session-1' }),
      })
    })
  })

  it('Q32: both eras share one port at the same time', async () => {
    const { server } = await serve(({ caller }) => printed(caller.era))
    const clients = await Promise.all(CLIENTS.map(([, connect]) => join(connect, server)))
    const answers = await Promise.all(clients.map((client) => client.call('echo')))
    expect(answers.map((answer) => answer.content[0].text)).toEqual(['legacy', 'legacy', 'modern', 'modern'])
  })
})
