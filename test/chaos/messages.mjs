// The few messages a chaotic client sends, in both eras.
const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'

export function callMessages(plan) {
  const calls = plan.tools.map((name, index) => ({
    jsonrpc: '2.0',
    id: index + 1,
    method: 'tools/call',
    params: { name, arguments: { args: [plan.tag, 'wait'] }, ...(plan.era === 'modern' && { _meta: META }) },
  }))
  return { opening: plan.era === 'modern' ? [] : OPENING, calls }
}

export function callHeaders(plan, message, session) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  if (plan.era === 'modern') {
    headers['mcp-protocol-version'] = MODERN
    headers['mcp-method'] = message.method
    headers['mcp-name'] = message.params.name
  } else if (session !== undefined) {
    headers['mcp-protocol-version'] = LEGACY
    headers['mcp-session-id'] = session
  }
  return headers
}

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
}

const OPENING = [
  {
    jsonrpc: '2.0',
    id: 'open',
    method: 'initialize',
    params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'chaos', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]
