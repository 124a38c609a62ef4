/** Why a request is not served. `reason` is for the log, `message` for the client. */
export interface Refusal {
  readonly status: number
  readonly reason: string
  readonly message: string
  /** JSON-RPC code; plain refusals share one. */
  readonly code?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** As much of a request as is known before its body. */
export interface RequestHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** Names and values alternating, as received: a parsed map hides duplicates. */
  readonly rawHeaders: readonly string[]
}

export interface Guards {
  /** Host and Origin: before anything else, on every route and method. */
  admit(head: RequestHead): Refusal | undefined
  /** What a browser page of an allowed origin needs to read the response; nothing for everyone else. */
  cors(head: RequestHead): Readonly<Record<string, string>>
}

export interface GuardSettings {
  /** As in URLs, without port. */
  readonly names: readonly string[]
  readonly port: number
  /** `http` or `https`. */
  readonly scheme?: string
  /** Names that a proxy in front of it has, with a port where it is not the default. */
  readonly aliases?: readonly string[]
}

export function createGuards({ names, port, scheme = 'http', aliases = [] }: GuardSettings): Guards {
  const hosts = new Set([...names, ...aliases].flatMap((name) => [name, `${name}:${port}`]))
  const origins = new Set([
    ...[...hosts].map((host) => `${scheme}://${host}`),
    ...aliases.map((alias) => `https://${alias}`),
  ])

  return {
    admit(head) {
      const host = headerValues(head, 'host')
      if (host.length !== 1 || !hosts.has(host[0] ?? ''))
        return forbidden('host', 'The Host header names another server than this one')
      const origin = headerValues(head, 'origin')
      if (origin.length > 1 || origin.some((value) => !origins.has(value)))
        return forbidden('origin', 'Pages of this origin may not use this server')
      return undefined
    },
    cors(head) {
      const [origin] = headerValues(head, 'origin')
      if (origin === undefined || !origins.has(origin)) return {}
      const read = {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
        Vary: 'Origin',
      }
      return isPreflight(head) ? { ...read, ...preflight(head) } : read
    },
  }
}

export function headerValues(head: RequestHead, name: string): string[] {
  const values: string[] = []
  const { rawHeaders } = head
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] ?? ''
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '')
  }
  return values
}

function forbidden(reason: string, message: string): Refusal {
  return { status: 403, reason, message }
}

/** A browser sends no credentials with the question whether it may send them. */
export function isPreflight(head: RequestHead): boolean {
  return head.method === 'OPTIONS' && headerValues(head, 'access-control-request-method').length > 0
}

const SENDABLE = ['accept', 'authorization', 'content-type', 'last-event-id']

function preflight(head: RequestHead): Record<string, string> {
  const asked = headerValues(head, 'access-control-request-headers')
    .join(',')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => SENDABLE.includes(name) || /^mcp-[a-z0-9-]+$/.test(name))
  return {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE',
    ...(asked.length > 0 && { 'Access-Control-Allow-Headers': asked.join(', ') }),
    'Access-Control-Max-Age': '600',
  }
}
