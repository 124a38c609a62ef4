import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { guardedDeps } from './consent-kit.ts'
import { listenHttp } from './listen-http.ts'
import { settings } from './test-kit.ts'

async function serveGuarded(waitMs: number) {
  const { deps, admitted, stop } = guardedDeps(waitMs)
  const listening = await listenHttp(deps, settings())
  onTestFinished(() => listening.close())
  return { url: listening.url, admitted, stop, current: () => listening.stats().calls }
}

async function connect(url: string, mode: 'legacy' | 'modern', answer: () => Promise<{ action: 'accept' }>) {
  const client = new Client(
    { name: 't', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: mode === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  client.setRequestHandler('elicitation/create', answer)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(() => client.close())
  return client
}

const NEVER = new Promise<never>(() => {})

describe('Q90: a question to a person', () => {
  it('that nobody answers in time is a no', async () => {
    const { url, admitted, current } = await serveGuarded(50)
    const client = await connect(url, 'legacy', () => NEVER)
    expect(await client.callTool({ name: 'guarded' })).toMatchObject({ isError: true })
    expect([admitted.size, current()]).toEqual([0, 0])
  })

  it('that is open when the server stops is a no, and its call has an answer', async () => {
    const { url, stop } = await serveGuarded(60_000)
    const client = await connect(url, 'legacy', () => {
      stop.abort()
      return NEVER
    })
    expect(await client.callTool({ name: 'guarded' })).toMatchObject({ isError: true })
  })

  it.each(['legacy', 'modern'] as const)('that is accepted without a decision is a no (%s)', async (mode) => {
    const { url } = await serveGuarded(10_000)
    const client = await connect(url, mode, async () => ({ action: 'accept' }))
    const answer = await client
      .callTool({ name: 'guarded' })
      .catch((error: Error) => ({ isError: true, error }))
    expect(answer).toMatchObject({ isError: true })
  })

  it('is not answered by a state that this server did not give out', async () => {
    const { url, admitted } = await serveGuarded(10_000)
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const params = {
      name: 'guarded',
      arguments: {},
      _meta: meta,
      inputResponses: { consent: { action: 'accept', content: { decision: 'allow always' } } },
    }
    const post = async (more: object) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'guarded',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...more } }),
      })
      return JSON.parse((await response.text()).replace(/^event:.*\ndata: /, '')) as {
        error?: { code: number }
        result?: { resultType: string; requestState: string }
      }
    }
    expect((await post({ requestState: 'v1.eyJwIjp7InF1ZXN0aW9uIjoicSJ9fQ.AAAA' })).error?.code).toBe(-32602)
    const asked = await post({})
    expect(asked.result?.resultType).toBe('input_required')
    expect(admitted.size).toBe(0)
    const answered = await post({ requestState: asked.result?.requestState })
    expect(answered).toMatchObject({ result: { content: [{ text: 'in' }] } })
  })
})
