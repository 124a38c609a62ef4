const MODERN = '2026-07-28'
const COMMON = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A request of the 2026 era as headers, and its body before and behind the id. */
export function modern(method, params) {
  const prefix = 'io.modelcontextprotocol/'
  const _meta = {
    [`${prefix}protocolVersion`]: MODERN,
    [`${prefix}clientCapabilities`]: {},
    [`${prefix}clientInfo`]: { name: 'orla-bench', version: '1' },
  }
  const named = params.name === undefined ? {} : { 'mcp-name': params.name }
  const headers = { ...COMMON, 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named }
  return { headers, body: bodyOf(method, { ...params, _meta }) }
}

export function modernCall(name) {
  return modern('tools/call', { name, arguments: {} })
}

/** A request of the 2025 era within a session. */
export function legacy(session, method, params) {
  return { headers: { ...COMMON, ...session }, body: bodyOf(method, params) }
}

function bodyOf(method, params) {
  return ['{"jsonrpc":"2.0","id":', `,"method":"${method}","params":${JSON.stringify(params)}}`]
}
