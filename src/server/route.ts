import { headerValues, type Refusal, type RequestHead } from './guards.ts'

export const MCP_PATH = '/mcp'

const METRICS_PATH = '/metrics'

export type Route =
  /** With one of the methods that mean something there. */
  | { readonly to: 'mcp' }
  | { readonly to: 'welcome' }
  | { readonly to: 'metrics' }
  | { readonly to: 'options'; readonly allow: string }
  | { readonly to: 'refusal'; readonly refusal: Refusal }

/** Where an admitted request goes, decided by its head alone. */
export function routeOf(head: RequestHead): Route {
  const { url = '' } = head
  const path = url.includes('?') ? url.slice(0, url.indexOf('?')) : url
  if (path === '/') return read(head, { to: 'welcome' })
  if (path === METRICS_PATH) return read(head, { to: 'metrics' })
  if (path === MCP_PATH) return atMcp(head)
  return refuse(404, 'path', `Nothing is served here; the MCP endpoint is ${MCP_PATH}`)
}

/** Something to look at. */
function read({ method }: RequestHead, route: Route): Route {
  if (method === 'GET' || method === 'HEAD') return route
  if (method === 'OPTIONS') return { to: 'options', allow: 'GET, HEAD, OPTIONS' }
  return refuse(405, 'method', `The MCP endpoint is ${MCP_PATH}`, { Allow: 'GET, HEAD, OPTIONS' })
}

function atMcp(head: RequestHead): Route {
  const { method } = head
  const allow = 'GET, POST, DELETE, OPTIONS'
  if (method === 'OPTIONS') return { to: 'options', allow }
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE')
    return refuse(405, 'method', 'This method means nothing to an MCP endpoint', { Allow: allow })
  if (method === 'POST' && !isJson(headerValues(head, 'content-type')))
    return refuse(415, 'content-type', 'Only bodies of Content-Type application/json are read')
  return { to: 'mcp' }
}

function isJson(types: readonly string[]): boolean {
  if (types.length === 1 && types[0] === 'application/json') return true
  return types.length === 1 && /^application\/json *(;|$)/i.test(types[0] ?? '')
}

function refuse(
  status: number,
  reason: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Route {
  return { to: 'refusal', refusal: { status, reason, message, ...(headers && { headers }) } }
}
