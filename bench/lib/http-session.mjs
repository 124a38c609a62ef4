import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { INTRODUCTION, LEGACY } from './rpc.mjs'

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Opens a session of the 2025 era, as its clients do. Resolves to the headers that belong to it. */
export async function openSession(url) {
  const first = await post(url, {}, { id: 1, method: 'initialize', params: INTRODUCTION })
  const session = first.headers['mcp-session-id']
  // A server without sessions gives none.
  const headers = { ...(session && { 'mcp-session-id': session }), 'mcp-protocol-version': LEGACY }
  await post(url, headers, { method: 'notifications/initialized' })
  return headers
}

let nextId = 2

/** Asks within a session, and waits for the whole answer without reading it. */
export function ask(url, headers, method, params) {
  return post(url, headers, { id: nextId++, method, params })
}

async function post(url, headers, message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  const asked = request(url, {
    agent,
    method: 'POST',
    timeout: 30_000,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  })
  asked.on('timeout', () => asked.destroy(new Error(`no answer to ${message.method}`)))
  asked.end(body)
  const [response] = await once(asked, 'response')
  response.resume()
  await once(response, 'end')
  if (response.statusCode >= 300) throw new Error(`${message.method}: status ${response.statusCode}`)
  return response
}
