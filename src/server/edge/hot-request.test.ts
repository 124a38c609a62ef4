import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/index.ts'
import { isSoundEnvelope } from './envelope.ts'
import { hotRequest as hotRequestOf } from './hot-request.ts'

const hotRequest = (message: Json) => hotRequestOf(message, isSoundEnvelope)

const PREFIX = 'io.modelcontextprotocol/'
const ENVELOPE = { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: {} }
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { x: 1 } } }
const call = (params: Record<string, Json>): Json => ({ ...CALL, params: { ...CALL.params, ...params } })

describe('taken', () => {
  it('calls of both eras', () => {
    const expected = {
      method: 'tools/call',
      id: 1,
      name: 'echo',
      arguments: { x: 1 },
      progressToken: undefined,
    }
    expect(hotRequest(CALL)).toEqual({ ...expected, era: 'legacy' })
    expect(hotRequest(call({ _meta: ENVELOPE }))).toEqual({ ...expected, era: 'modern' })
  })

  it('with what else a client may say', () => {
    expect(hotRequest(call({ _meta: { ...ENVELOPE, progressToken: 'p', 'a/b': 1 } }))).toMatchObject({
      era: 'modern',
      progressToken: 'p',
    })
    expect(hotRequest({ ...CALL, params: { name: 'echo' } })).toMatchObject({ arguments: {} })
    const info = { name: 'x', version: '1', title: 'X' }
    const capabilities = { elicitation: { form: {} }, roots: { listChanged: true } }
    const _meta = {
      ...ENVELOPE,
      [`${PREFIX}clientInfo`]: info,
      [`${PREFIX}clientCapabilities`]: capabilities,
    }
    expect(hotRequest(call({ _meta }))).toMatchObject({ era: 'modern' })
  })

  it('what each era has of the others', () => {
    const ask = (method: string, params?: Json) =>
      hotRequest({ jsonrpc: '2.0', id: 'a', method, ...(params && { params }) })
    expect(ask('ping')).toEqual({ method: 'ping', era: 'legacy', id: 'a' })
    expect(ask('tools/list')).toEqual({ method: 'tools/list', era: 'legacy', id: 'a' })
    expect(ask('tools/list', { _meta: ENVELOPE })).toMatchObject({ era: 'modern' })
    expect(ask('server/discover', { _meta: ENVELOPE })).toMatchObject({ era: 'modern' })
    expect(ask('ping', { _meta: ENVELOPE })).toBeUndefined()
    expect(ask('server/discover')).toBeUndefined()
  })
})

describe('left to the SDK', () => {
  it.each<[string, Json]>([
    ['a batch', [CALL]],
    ['a notification', { jsonrpc: '2.0', method: 'tools/call', params: CALL.params }],
    ['another JSON-RPC', { ...CALL, jsonrpc: '1.0' }],
    ['an id that is none', { ...CALL, id: 1.5 }],
    ['an id of null', { ...CALL, id: null }],
    ['another method', { ...CALL, method: 'initialize' }],
    ['an unknown key', { ...CALL, extra: 1 }],
    ['no params', { jsonrpc: '2.0', id: 1, method: 'tools/call' }],
    ['params that are none', { ...CALL, params: [] }],
    ['no name', { ...CALL, params: {} }],
    ['arguments that are none', call({ arguments: [1] })],
    [
      'arguments with a prototype',
      { ...CALL, params: JSON.parse('{"name":"echo","arguments":{"__proto__":1}}') },
    ],
    ['a task', call({ task: {} })],
    ['an answer to a question', call({ requestState: 'x' })],
    ['a page', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } }],
    ['a token that is none', call({ _meta: { progressToken: 1.5 } })],
    ['_meta that is none', call({ _meta: null })],
    ['half an envelope', call({ _meta: { [`${PREFIX}clientCapabilities`]: {} } })],
    ['an envelope without capabilities', call({ _meta: { [`${PREFIX}protocolVersion`]: '2026-07-28' } })],
    ['another revision', call({ _meta: { ...ENVELOPE, [`${PREFIX}protocolVersion`]: '2027-01-01' } })],
    ['odd capabilities', call({ _meta: { ...ENVELOPE, [`${PREFIX}clientCapabilities`]: { roots: 5 } } })],
    ['an odd client', call({ _meta: { ...ENVELOPE, [`${PREFIX}clientInfo`]: { name: 5 } } })],
    ['an unknown reserved key', call({ _meta: { ...ENVELOPE, [`${PREFIX}new`]: 1 } })],
    ['no message', 'text'],
  ])('%s', (_what, message) => {
    expect(hotRequest(message)).toBeUndefined()
  })
})
