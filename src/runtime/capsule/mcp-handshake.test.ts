import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Kit, openKit, until } from '../../../test/capsule-kit.ts'
import type { Capsule, Output } from '../../model/index.ts'

let kit: Kit
let capsule: Capsule

beforeEach(() => {
  kit = openKit()
  const server = kit.script('mcp-server.mjs')
  const command = { ...server.command, file: process.execPath, args: [server.command.file] }
  capsule = { ...server, command, handshake: 'mcp' }
})
afterEach(async () => {
  await kit.close()
})

const tool = (name: string) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  meta: { from: 'server' },
})

describe('an MCP server in a capsule', () => {
  it('tells what it offers, on all pages', async () => {
    const tools = ['add', 'grow', 'heard'].map(tool)
    expect(await kit.capsules.offered(capsule)).toEqual(tools)
    expect(kit.offered).toEqual([tools])
    expect(kit.status()).toMatchObject({
      state: 'READY',
      tools: ['sample.add', 'sample.grow', 'sample.heard'],
    })
  })

  it('tools with names that cannot be used are told, once', async () => {
    await kit.capsules.offered(capsule)
    const told = kit.logged.filter(([, text]) => text.includes('names that cannot be used'))
    expect(told).toEqual([
      ['warn', expect.stringMatching(/it offers tools .* cannot be used: "not a name"$/)],
    ])
  })

  it('tools that run as tasks only are left out and told, once', async () => {
    expect((await kit.capsules.offered(capsule)).map(({ name }) => name)).not.toContain('research')
    const told = kit.logged.filter(([, text]) => text.includes('as tasks only'))
    expect(told).toEqual([['warn', expect.stringMatching(/cannot be called here: "research"$/)]])
  })

  it('is called by the names it gave', async () => {
    expect(await kit.call(capsule, { a: 1, b: 2 }, { toolName: 'add' })).toMatchObject({
      ok: true,
      output: { kind: 'content', content: [{ type: 'text', text: '3' }] },
    })
  })

  it('Q71: one that sends batches is listed and called like another', async () => {
    const args = [...capsule.command.args, 'batches']
    const batching = { ...capsule, command: { ...capsule.command, args } }
    expect(await kit.capsules.offered(batching)).toHaveLength(3)
    const sum = await kit.call(batching, { a: 1, b: 2 }, { toolName: 'add', timeoutMs: 10_000 })
    expect(sum).toMatchObject({ ok: true, output: { content: [{ type: 'text', text: '3' }] } })
    expect(kit.logged.filter(([level]) => level === 'error')).toEqual([])
  })

  it('what it logs is in the log of its capsule', async () => {
    await kit.capsules.offered(capsule)
    await until(() => kit.said('stdout').length === 3)
    expect(kit.said('stdout')).toEqual(['error disk: it is full', 'info: {"free":0}', 'log: '])
  })

  it('is introduced to, and its own questions are answered', async () => {
    const heard = async (): Promise<unknown[]> => {
      const { output } = await kit.call(capsule, {}, { toolName: 'heard' })
      return JSON.parse(textOf(output))
    }
    let messages: unknown[] = []
    for (let round = 0; round < 100 && messages.length < 8; round++) messages = await heard()
    expect(messages[0]).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'orla', version: '0' },
      },
    })
    expect(messages[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(messages).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect(messages).toContainEqual({ jsonrpc: '2.0', id: 'r', result: { roots: [] } })
    expect(messages).toContainEqual({
      jsonrpc: '2.0',
      id: 's',
      error: { code: -32601, message: 'Orla does not answer `sampling/createMessage`' },
    })
  })

  it('Q71: is answered while it carries out a call, and what it tells meanwhile is heard', async () => {
    const steps: unknown[] = []
    const progress = (step: unknown) => void steps.push(step)
    const { ok, output } = await kit.call(capsule, {}, { toolName: 'ask', timeoutMs: 10_000, progress })
    expect([ok, JSON.parse(textOf(output))]).toEqual([
      true,
      {
        ping: {},
        'roots/list': { roots: [] },
        'sampling/createMessage': -32601,
        'elicitation/create': -32601,
        'resources/list': -32601,
        'prompts/list': -32601,
      },
    ])
    expect(steps).toEqual([{ progress: 1, total: 2 }])
    expect(kit.said('stdout')).toContain('info: in the middle')
  })

  it('Q71: is pinged while it carries out a call, and told when nobody waits for it any more', async () => {
    const watched = { ...capsule, health: { intervalMs: 20, timeoutMs: 10_000 } }
    const over = new AbortController()
    const call = kit.call(watched, {}, { toolName: 'wait', signal: over.signal })
    await until(() => kit.status().running === 1)
    const heard = async () => {
      const { output } = await kit.call(watched, {}, { toolName: 'heard' })
      return JSON.parse(textOf(output)) as { method?: string; params?: { name?: string }; id?: number }[]
    }
    let messages = await heard()
    for (let round = 0; round < 100 && !messages.some(({ method }) => method === 'ping'); round++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      messages = await heard()
    }
    expect(messages).toContainEqual(expect.objectContaining({ method: 'ping' }))
    over.abort()
    expect(await call).toMatchObject({ ok: false, reason: 'cancelled' })
    const asked = messages.find(({ params }) => params?.name === 'wait')
    const reason = 'the caller cancelled the call'
    await until(() => kit.said('stdout').includes(`log: ${JSON.stringify({ requestId: asked?.id, reason })}`))
    expect(kit.status()).toMatchObject({ state: 'READY', starts: 1 })
  })

  it('is asked once when it says twenty times that its list changed', async () => {
    await kit.call(capsule, {}, { toolName: 'grow' })
    await until(() => kit.offered.length === 2)
    expect(kit.offered[1]?.map(({ name }) => name)).toEqual(['add', 'grow', 'heard', 'new3'])
    await kit.call(capsule, {}, { toolName: 'grow' })
    await until(() => kit.offered.length === 3)
    expect(kit.offered[2]).toHaveLength(5)
  })

  it('one that does not list its tools is told by that', async () => {
    const { command } = capsule
    const args = [...command.args, 'mute']
    const mute = {
      ...capsule,
      command: { ...command, args },
      startupTimeoutMs: 2_000,
      restart: { limit: 1 },
    }
    await expect(kit.capsules.offered(mute)).rejects.toThrow(
      '`sample` did not answer `tools/list` within 2 s.',
    )
  })

  it('is asked again after a change that it did not answer for', async () => {
    const { command } = capsule
    const deaf = {
      ...capsule,
      command: { ...command, args: [...command.args, 'once-deaf'] },
      startupTimeoutMs: 2_000,
    }
    await kit.call(deaf, {}, { toolName: 'grow' })
    await until(() => kit.logged.some(([, text]) => text.includes('did not answer `tools/list` within 2 s')))
    expect(kit.offered).toHaveLength(1)
    await kit.call(deaf, {}, { toolName: 'grow' })
    await until(() => kit.offered.length === 2)
    expect(kit.offered[1]).toHaveLength(5)
  })

  it('is told apart from one that is none', async () => {
    const wrong = kit.capsule([], { handshake: 'mcp', startupTimeoutMs: 2_000, restart: { limit: 1 } })
    await expect(kit.capsules.offered(wrong)).rejects.toMatchObject({
      code: 'E_CAPSULE',
      message: '`sample` did not answer `initialize` within 2 s. It wrote nothing to stderr',
    })
    const refusing = kit.script('good.sh', { handshake: 'mcp', identity: 'sh', restart: { limit: 1 } })
    await expect(kit.capsules.offered(refusing)).rejects.toThrow(
      '`sample` answered `initialize` with something that names no protocol version',
    )
  })
})

function textOf(output: Output): string {
  const [block] = output.kind === 'content' ? output.content : []
  return typeof block?.text === 'string' ? block.text : '[]'
}
