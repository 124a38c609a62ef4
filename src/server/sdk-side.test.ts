import { describe, expect, it } from 'vitest'
import { guardedDeps } from './consent-kit.ts'
import { serveStdio } from './index.ts'
import { Pipes } from './pipes-kit.ts'
import { EDGES, fakeCatalog, until } from './test-kit.ts'

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'guarded', arguments: {} } }
const PROMPTS = { jsonrpc: '2.0', id: 3, method: 'prompts/list' }

function greeting(capabilities: object) {
  const clientInfo = { name: 'test', version: '0' }
  const params = { protocolVersion: '2025-06-18', capabilities, clientInfo }
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params }
}

describe.each(EDGES)('a client that is first answered by: %s', (edge) => {
  function open({ deps } = guardedDeps(20_000)) {
    const pipes = new Pipes()
    const server = serveStdio(deps, pipes, { edge })
    const said = () => pipes.lines.map((line) => JSON.parse(line))
    const answered = (id: number) => until(() => said().some((message) => message.id === id), `answer ${id}`)
    return { pipes, server, deps, said, answered }
  }

  it('Q90: is asked what it said it can be asked, and its answer counts', async () => {
    const { pipes, server, said } = open()
    pipes.send(greeting({ elicitation: {} }))
    pipes.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    pipes.send(LIST)
    pipes.send(CALL)
    const question = () => said().find(({ method }) => method === 'elicitation/create')
    await until(() => question() !== undefined, 'the question')
    expect(question()).toMatchObject({ params: { message: 'May it?' } })
    const result = { action: 'accept', content: { decision: 'allow once' } }
    pipes.send({ jsonrpc: '2.0', id: question().id, result })
    await until(() => said().length === 4, 'every answer')
    expect(said().find(({ id }) => id === 2)).toMatchObject({ result: { content: [{ text: 'in' }] } })
    await server.close()
  })

  it('Q90: is not asked what it cannot be asked', async () => {
    const { pipes, server, said, answered } = open()
    pipes.send(greeting({}))
    pipes.send(CALL)
    await answered(2)
    expect(said().map(({ id }) => id)).toEqual([0, 2])
    expect(said()[1]).toMatchObject({ result: { isError: true } })
    await server.close()
  })

  it('Q28: hears of each change once, before and after the SDK was needed', async () => {
    const { pipes, server, said, answered } = open()
    server.toolsChanged()
    pipes.send(greeting({}))
    await answered(0)
    server.toolsChanged()
    pipes.send(PROMPTS)
    await answered(3)
    server.promptsChanged()
    server.documentsChanged()
    await until(() => said().length === 5, 'the changes')
    await server.close()
    server.toolsChanged()
    expect(said().flatMap(({ method }) => method ?? [])).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ])
    expect(pipes.lines[1]).toBe('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
  })

  it('keeps the catalog it listed, whoever answers', async () => {
    const { pipes, server, deps, said, answered } = open()
    pipes.send(greeting({}))
    pipes.send(LIST)
    await answered(1)
    const listed = deps.current
    deps.current = fakeCatalog('new')
    // It needs consent, so the SDK is asked.
    pipes.send(CALL)
    await answered(2)
    expect(said().find(({ id }) => id === 2)).toMatchObject({
      result: { content: [{ text: expect.stringContaining('nobody said yes') }] },
    })
    expect(server.held()).toEqual([listed])
    await server.close()
  })

  it('has its answers when it leaves while the SDK is on its way', async () => {
    const { pipes, server, said } = open()
    pipes.send(greeting({}))
    pipes.send(PROMPTS)
    pipes.send({ jsonrpc: '2.0', id: 4, method: 'initialize', params: {}, junk: true })
    pipes.stdin.end()
    await server.ended
    expect(said().map(({ id }) => id)).toEqual([0, 3])
  })

  it('can be left while the SDK is on its way', async () => {
    const { pipes, server } = open()
    pipes.send(PROMPTS)
    await until(() => pipes.stdin.readableLength === 0, 'the request to be read')
    await server.close()
    await server.ended
    expect(pipes.lines).toEqual([])
  })
})
