import fc from 'fast-check'
import { type Call, type CallResult, type JsonObject, OrlaError } from '../../model/index.ts'
import { type FakeDeps, failed, fakeCatalog, fakeDeps, fakeTool, printed } from '../test-kit.ts'

/** A request as plain data: it can be mutated, and sent to two servers. */
export interface Sent {
  headers: Record<string, string>
  body: Record<string, unknown>
}

const PREFIX = 'io.modelcontextprotocol/'

export const ENVELOPE = {
  [`${PREFIX}protocolVersion`]: '2026-07-28',
  [`${PREFIX}clientCapabilities`]: { elicitation: {}, roots: { listChanged: true } },
  [`${PREFIX}clientInfo`]: { name: 'test', version: '0' },
}

const NAMES = [
  'echo',
  'a.b',
  'fails',
  'late',
  'list',
  'content',
  'odd',
  'throws',
  'refuses',
  'mirror',
  'nobody',
]

const city = { type: 'string', 'x-mcp-header': 'City' }

export const CATALOG = fakeCatalog(
  'echo',
  'a.b',
  'fails',
  'late',
  fakeTool('list', { outputSchema: { type: 'array' } }),
  'content',
  'odd',
  'throws',
  'refuses',
  fakeTool('mirror', { inputSchema: { type: 'object', properties: { city } } }),
)

/** Without anything that is rewritten for old clients. */
export const PLAIN_CATALOG = fakeCatalog(
  'echo',
  'content',
  fakeTool('point', { outputSchema: { type: 'object' } }),
)

export function differentialDeps(): FakeDeps {
  return fakeDeps(CATALOG, behave)
}

async function behave({ name, arguments: args, progress }: Call): Promise<CallResult> {
  progress?.({ progress: 1, total: 2, message: 'half' })
  switch (name) {
    case 'fails':
      return printed('so far', 'oops', 3)
    case 'late':
      return failed('timeout', 'took too long')
    case 'list':
      return { ok: true, ms: 1, output: { kind: 'value', value: [1, 'é', null], stderr: NO_TEXT } }
    case 'content':
      return {
        ok: true,
        ms: 1,
        output: { kind: 'content', content: BLOCKS, structured: { x: 1 }, meta: { 'a/b': 2 } },
      }
    case 'odd':
      return {
        ok: false,
        reason: 'crashed',
        message: 'it ended',
        ms: 1,
        output: {
          kind: 'content',
          content: [{ type: 'nonsense' }, { type: 'image', data: '?', mimeType: 'image/png' }],
        },
      }
    case 'throws':
      throw new TypeError('a bug')
    case 'refuses':
      throw new OrlaError('E_TOOL_INPUT', 'no', { hint: 'yes' })
    default:
      return printed(`${name} ${JSON.stringify(args)}\n`)
  }
}

const NO_TEXT = { text: '', encoding: 'utf8', bytes: 0 } as const

const BLOCKS: readonly JsonObject[] = [
  { type: 'text', text: 'a', annotations: { audience: ['user'], priority: 0.5 } },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'resource', resource: { uri: 'file:///x', text: 'x' } },
  { type: 'resource_link', uri: 'file:///x', name: 'x' },
]

/** Anything a client might put where something else belongs. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 'text', 0, -1, 1.5, 2 ** 60, true, [], {}, [1], { a: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
)

const keys = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'extra', '__proto__')
const paramKeys = fc.constantFrom(
  'name',
  'arguments',
  'cursor',
  '_meta',
  'task',
  'requestState',
  'inputResponses',
)
const metaKeys = fc.constantFrom(
  'progressToken',
  'a/b',
  `${PREFIX}protocolVersion`,
  `${PREFIX}clientCapabilities`,
  `${PREFIX}clientInfo`,
  `${PREFIX}logLevel`,
  `${PREFIX}related-task`,
)
const headerNames = fc.constantFrom(
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'mcp-param-city',
  'accept',
  'content-type',
)
const headerValues = fc.constantFrom(
  undefined,
  '',
  'nonsense',
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2027-01-01',
  'tools/call',
  'tools/list',
  'echo',
  ' echo ',
  '=?base64?ZWNobw==?=',
  '=?base64?!?=',
  'application/json',
  'Application/JSON; charset=utf-8',
  'application/json; charset=latin1',
  'text/event-stream',
  '*/*',
  'Oslo',
)

type Mutation = (sent: Sent) => void

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(keys, anything).map(
    ([key, value]): Mutation =>
      ({ body }) =>
        put(body, key, value),
  ),
  fc.tuple(paramKeys, anything).map(
    ([key, value]): Mutation =>
      ({ body }) =>
        put(body.params, key, value),
  ),
  fc.tuple(metaKeys, anything).map(
    ([key, value]): Mutation =>
      ({ body }) =>
        put(meta(body), key, value),
  ),
  fc.tuple(headerNames, headerValues).map(
    ([key, value]): Mutation =>
      ({ headers }) =>
        put(headers, key, value),
  ),
)

function put(target: unknown, key: string, given: unknown): void {
  if (typeof target !== 'object' || target === null) return
  // A later one may be put into it, and must not be the same object.
  const value = structuredClone(given)
  if (value === undefined) Reflect.deleteProperty(target, key)
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

function meta({ params }: Record<string, unknown>): unknown {
  return typeof params === 'object' && params !== null && '_meta' in params ? params._meta : undefined
}

const ids = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.string({ maxLength: 5 }))
const args = fc.dictionary(fc.constantFrom('x', 'city', '__proto__', 'é'), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
})
const tokens = fc.option(fc.oneof(fc.integer(), fc.string({ maxLength: 3 })), { nil: undefined })
const methods = fc.oneof(
  { weight: 6, arbitrary: fc.constant('tools/call') },
  { weight: 4, arbitrary: fc.constantFrom('tools/list', 'ping', 'server/discover') },
  { weight: 1, arbitrary: fc.constantFrom('resources/list', 'nope', 'notifications/cancelled') },
)

/** Requests of both eras: many as they should be, many nearly so. `SESSION` stands for that of the server. */
export const requests: fc.Arbitrary<Sent> = fc
  .record({
    era: fc.constantFrom('modern', 'legacy'),
    method: methods,
    name: fc.constantFrom(...NAMES),
    args: fc.option(args, { nil: undefined }),
    id: ids,
    token: tokens,
    mutations: fc.oneof(fc.constant<Mutation[]>([]), fc.array(mutation, { minLength: 1, maxLength: 2 })),
  })
  .map(({ era, method, name, args, id, token, mutations }) => {
    const isCall = method === 'tools/call'
    const _meta = {
      ...(era === 'modern' && structuredClone(ENVELOPE)),
      ...(token !== undefined && { progressToken: token }),
    }
    const sent: Sent = {
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(era === 'modern'
          ? {
              'mcp-protocol-version': '2026-07-28',
              'mcp-method': method,
              ...(isCall && { 'mcp-name': name }),
            }
          : { 'mcp-session-id': 'SESSION' }),
      },
      body: {
        jsonrpc: '2.0',
        id,
        method,
        params: { ...(isCall && { name, ...(args && { arguments: args }) }), _meta },
      },
    }
    for (const mutate of mutations) mutate(sent)
    return sent
  })
