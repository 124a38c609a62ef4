import { PassThrough, Writable } from 'node:stream'
import { Client as ClientV2, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import type { Call, CallResult } from '../model/index.ts'
import { type StdioServer, serveStdio } from './index.ts'
import { Pipes } from './pipes-kit.ts'
import { EDGES, failed, fakeCatalog, fakeDeps, printed, until } from './test-kit.ts'

// biome-ignore lint/suspicious/noExplicitAny: two SDKs, two result types, one shape
type AnyResult = any
interface AnyClient {
  names(): Promise<string[]>
  call(
    name: string,
    options?: { signal?: AbortSignal; onprogress?: (p: unknown) => void },
  ): Promise<AnyResult>
  changes(): number
  close(): Promise<void>
}

const INFO = { name: 'test', version: '0' }

async function connectV1(pipes: Pipes): Promise<AnyClient> {
  const client = new ClientV1(INFO)
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++)
  // The same interface under two names.
  await client.connect(pipes.transport() as TransportV1)
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, options = {}) => client.callTool({ name, arguments: {} }, undefined, options),
    changes: () => changes,
    close: () => client.close(),
  }
}

function connectV2(mode: VersionNegotiationMode) {
  return async (pipes: Pipes): Promise<AnyClient> => {
    let changes = 0
    const client = new ClientV2(INFO, {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    })
    await client.connect(pipes.transport())
    return {
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, options = {}) => client.callTool({ name, arguments: {} }, options),
      changes: () => changes,
      close: () => client.close(),
    }
  }
}

describe.each(EDGES)('hot requests answered by: %s', (edge) => {
  function serve(behave: (call: Call) => Promise<CallResult> | CallResult, ...tools: string[]) {
    const deps = fakeDeps(fakeCatalog(...(tools.length ? tools : ['echo'])), async (call) => behave(call))
    const pipes = new Pipes()
    return { deps, pipes, server: serveStdio(deps, pipes, { edge }) }
  }

  it('greets a client before the catalog is there; what else it wants waits, in order', async () => {
    const pipes = new Pipes()
    let catalog = fakeCatalog()
    const deps = { ...fakeDeps(catalog, async () => printed('hi')), catalog: () => catalog }
    let ready = () => {}
    const untilReady = new Promise<void>((resolve) => {
      ready = resolve
    })
    const server = serveStdio(deps, pipes, { edge, ready: { listable: untilReady, callable: untilReady } })
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO }
    pipes.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: client })
    pipes.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await until(() => pipes.lines.length === 1, 'the greeting')
    pipes.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    pipes.send({ jsonrpc: '2.0', id: 3, method: 'ping' })
    pipes.send({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'late', arguments: {} } })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(pipes.lines).toHaveLength(1)
    catalog = fakeCatalog('late')
    ready()
    await until(() => pipes.lines.length === 4, 'the answers')
    const answers = pipes.lines.map((line) => JSON.parse(line) as { id: number; result: object })
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]))
    expect(answers.find(({ id }) => id === 2)?.result).toMatchObject({ tools: [{ name: 'late' }] })
    await server.close()
  })

  describe.each([
    ['v1', 'legacy', connectV1],
    ['v2 legacy', 'legacy', connectV2('legacy')],
    ['v2 auto', 'modern', connectV2('auto')],
    ['v2 modern', 'modern', connectV2({ pin: '2026-07-28' })],
  ] as const)('Q35: the official %s client over stdio', (_name, era, connect) => {
    it('Q16: lists, calls, cancels and leaves', async () => {
      const calls: Call[] = []
      const { pipes, server, deps } = serve(
        (call) => {
          calls.push(call)
          if (call.name === 'echo') return printed('hi')
          return new Promise((resolve) => {
            call.signal.addEventListener('abort', () => resolve(failed('cancelled', 'cancelled')))
          })
        },
        'hold',
        'echo',
      )
      const client = await connect(pipes)
      expect(await client.names()).toEqual(['echo', 'hold'])
      expect((await client.call('echo')).content).toEqual([{ type: 'text', text: 'hi' }])
      expect(calls[0]?.caller).toMatchObject({ transport: 'stdio', era, connection: 'stdio' })
      await expect(client.call('nobody')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/nobody.*tools\/list names them/),
      })
      const controller = new AbortController()
      const held = client.call('hold', { signal: controller.signal })
      await until(() => calls.length === 2, 'the call')
      controller.abort('enough')
      await expect(held).rejects.toThrow()
      await until(() => calls[1]?.signal.aborted === true, 'the abort')
      expect(deps.records).toContainEqual(
        expect.objectContaining({
          level: 'debug',
          msg: 'stdio request',
          rpc_method: 'tools/call',
          duration_ms: expect.any(Number),
        }),
      )
      await client.close()
      await server.ended
    })

    it('reports progress', async () => {
      const { pipes } = serve(({ progress }) => {
        progress?.({ progress: 1, total: 2 })
        return printed('done')
      })
      const client = await connect(pipes)
      const heard: unknown[] = []
      await client.call('echo', { onprogress: (progress) => void heard.push(progress) })
      expect(heard).toEqual([{ progress: 1, total: 2 }])
      await client.close()
    })

    it('Q28: hears of changes; reading i', async () => {
      const { deps, pipes, server } = serve(({ name }) => printed(name), 'old')
      const client = await connect(pipes)
      expect(await client.names()).toEqual(['old'])
      deps.current = fakeCatalog('new')
      await until(() => {
        server.toolsChanged()
        return client.changes() > 0
      }, 'the announcement')
      if (era === 'legacy') expect((await client.call('old')).content[0].text).toBe('old')
      else await expect(client.call('old')).rejects.toMatchObject({ code: -32602 })
      expect(await client.names()).toEqual(['new'])
      await expect(client.call('old')).rejects.toMatchObject({ code: -32602 })
      await client.close()
    })
  })

  describe('stdio', () => {
    const INITIALIZE = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: INFO },
    }
    const call = (id: number, name = 'echo') => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: {} },
    })

    async function held(): Promise<{ pipes: Pipes; server: StdioServer; calls: Call[] }> {
      const calls: Call[] = []
      const { pipes, server } = serve((call) => {
        calls.push(call)
        return new Promise(() => {})
      })
      pipes.send(INITIALIZE)
      pipes.send(call(1))
      await until(() => calls.length === 1, 'the call')
      return { pipes, server, calls }
    }

    it('a client that closes stdin still has its answers; the last one ends it', async () => {
      let finish = () => {}
      const { pipes, server } = serve(
        () =>
          new Promise((resolve) => {
            finish = () => resolve(printed('late'))
          }),
      )
      pipes.send(INITIALIZE)
      pipes.send(call(1))
      pipes.stdin.end(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'prompts/list' }))
      await server.inputEnded
      await until(() => pipes.lines.some((line) => JSON.parse(line).id === 2), 'the list')
      let ended = false
      void server.ended.then(() => {
        ended = true
      })
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(ended).toBe(false)
      finish()
      await server.ended
      expect(pipes.lines.map((line) => JSON.parse(line).id)).toEqual([0, 2, 1])
    })

    it('what a client has taken back does not keep it', async () => {
      const { pipes, server } = serve(
        ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(failed('cancelled', 'cancelled')))
          }),
      )
      pipes.send(INITIALIZE)
      pipes.send(call(1))
      pipes.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
      pipes.stdin.end()
      await server.ended
      expect(pipes.lines).toHaveLength(1)
    })

    it('calls that never end are ended by whoever closes it', async () => {
      const { pipes, server, calls } = await held()
      pipes.stdin.end()
      await server.inputEnded
      expect(calls[0]?.signal.aborted).toBe(false)
      await server.close()
      await server.ended
      expect(calls[0]?.signal.aborted).toBe(true)
    })

    it('a client that vanishes ends it', async () => {
      const { pipes, server, calls } = await held()
      pipes.stdin.destroy()
      await server.ended
      expect(calls[0]?.signal.aborted).toBe(true)
    })

    it('a client that no longer reads ends it', async () => {
      const deps = fakeDeps(fakeCatalog('echo'), async () => printed('hi'))
      const stdin = new PassThrough()
      const stdout = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
      })
      const server = serveStdio(deps, { stdin, stdout }, { edge })
      stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
      await server.ended
      expect(deps.records.some(({ level }) => level === 'error')).toBe(false)
    })

    it('a stdin that has already ended ends it', async () => {
      const { pipes, server } = serve(() => printed('x'))
      pipes.stdin.end()
      await server.ended
    })

    it('close ends it and the calls in flight', async () => {
      const { server, calls } = await held()
      await server.close()
      await server.ended
      expect(calls[0]?.signal.aborted).toBe(true)
      server.toolsChanged()
      await server.close()
    })

    it('writes nothing but protocol, one message a line', async () => {
      const { pipes, server } = serve(() => printed('a\nb\u2028c'))
      pipes.send(INITIALIZE)
      pipes.stdin.write('this is not JSON\n\n{"not":"a message"}\n[1,2]\n')
      pipes.send(call(1))
      await until(() => pipes.lines.length === 2, 'both answers')
      expect(pipes.lines.map((line) => JSON.parse(line).id)).toEqual([0, 1])
      await server.close()
    })

    it('is told nothing about changes before it introduced itself', async () => {
      const { pipes, server } = serve(() => printed('x'))
      server.toolsChanged()
      pipes.send(INITIALIZE)
      await until(() => pipes.lines.length > 0, 'the answer')
      expect(pipes.lines).toHaveLength(1)
      await server.close()
    })

    it('messages up to the limit are read; a longer one ends the connection with a word in the log', async () => {
      const deps = fakeDeps(fakeCatalog('echo'), async (asked) =>
        printed(String(JSON.stringify(asked.arguments.x).length)),
      )
      const pipes = new Pipes()
      const server = serveStdio(deps, pipes, { messageBytes: 200_000, edge })
      const long = (length: number) => ({
        ...call(1),
        params: { name: 'echo', arguments: { x: 'x'.repeat(length) } },
      })
      pipes.send(INITIALIZE)
      pipes.send(long(150_000))
      await until(() => pipes.lines.length === 2, 'the answer')
      expect(JSON.parse(pipes.lines[1] ?? '').result.structuredContent.stdout).toBe('150002')
      pipes.send(long(250_000))
      await server.ended
      expect(deps.records).toContainEqual(expect.objectContaining({ level: 'warn', msg: 'protocol error' }))
    })

    it('five hundred calls at once all answer, even when the client reads late', async () => {
      const { pipes, server } = serve(() => printed('x'.repeat(1_000)))
      pipes.stdout.pause()
      pipes.send(INITIALIZE)
      for (let id = 1; id <= 500; id++) pipes.send(call(id))
      await until(() => pipes.stdout.writableNeedDrain, 'the pipe to fill')
      pipes.stdout.resume()
      await until(() => pipes.lines.length === 501, 'every answer')
      expect(new Set(pipes.lines.map((line) => JSON.parse(line).id)).size).toBe(501)
      await server.close()
    })

    it('who does not read answers is not read from, and gets them all in the end', async () => {
      const { pipes, server } = serve(() => printed('x'.repeat(7_000_000)))
      pipes.stdout.pause()
      pipes.send(INITIALIZE)
      for (let id = 1; id <= 6; id++) pipes.send(call(id))
      await until(() => pipes.stdout.writableNeedDrain, 'the pipe to fill')
      await until(() => {
        pipes.stdin.write('\n')
        return pipes.stdin.isPaused()
      }, 'the end of patience')
      pipes.send(call(7))
      pipes.stdout.resume()
      await until(() => pipes.lines.length === 8, 'every answer')
      expect(pipes.lines.map((line) => JSON.parse(line).id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      await server.close()
    })

    it('a deeply nested message breaks nothing', async () => {
      const { pipes, server } = serve(() => printed('fine'))
      pipes.send(INITIALIZE)
      pipes.stdin.write(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}}}\n`,
      )
      pipes.send(call(2))
      await until(() => pipes.lines.some((line) => JSON.parse(line).id === 2), 'the next answer')
      await server.close()
    })
  })
})
