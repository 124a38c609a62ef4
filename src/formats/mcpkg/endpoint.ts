import type { HttpEndpoint, HttpMethod, LocalEndpoint, McpkgEndpoint } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { type Flaw, integer, oneOf, type Shape, text, type ValueOf } from '../shape.ts'
import { lenient } from './lenient.ts'
import { type Looking, refine } from './refine.ts'
import { splitCommand } from './split-command.ts'
import { parseUrlTemplate } from './url-template.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const satisfies HttpMethod[]
const MAX_COMMAND = 4096

export const timeoutMs = integer('Time a call may take, in milliseconds', { min: 1, max: 3_600_000 })

const FIELDS = lenient('What carries the tool out', {
  type: text('An HTTP endpoint, or a program of the package', {
    check: wrongType,
    pattern: /^(?:http|local)$/,
  }),
  method: oneOf('HTTP method', METHODS),
  url: text('Where the endpoint is; {name} in the path takes an argument', { check: wrongUrl }),
  command: text('Program and words, without a shell', { check: wrongCommand }),
  timeoutMs,
})

type Fields = Partial<ValueOf<typeof FIELDS>>

/** `endpoint`, of the manifest and of an implementation. */
export const ENDPOINT: Shape<McpkgEndpoint> = refine(FIELDS, (value, looking) => {
  looking.need('type')
  if (value.type === 'http') return readHttp(value, looking)
  if (value.type === 'local') return readLocal(value, looking)
  return undefined
})

function readHttp(value: Fields, looking: Looking): HttpEndpoint | undefined {
  looking.need('method', 'url')
  tellIdle(value, ['command'], 'local', looking)
  const { method, url, timeoutMs } = value
  if (method === undefined || url === undefined) return undefined
  return compact<HttpEndpoint>({ type: 'http', method, url, timeoutMs })
}

function readLocal(value: Fields, looking: Looking): LocalEndpoint | undefined {
  looking.need('command')
  tellIdle(value, ['method', 'url'], 'http', looking)
  const { command, timeoutMs } = value
  const split = splitCommand(command ?? '')
  if (command === undefined || 'problem' in split) return undefined
  return compact<LocalEndpoint>({ type: 'local', command, words: split.words, timeoutMs })
}

/** Keys of the other type. */
function tellIdle(
  value: Fields,
  keys: readonly ('command' | 'method' | 'url')[],
  type: string,
  { tell }: Looking,
): void {
  for (const key of keys) {
    if (value[key] === undefined) continue
    tell([key], { message: `has an effect on endpoints of type ${type} only`, severity: 'warning' })
  }
}

function wrongType(type: string): Flaw | undefined {
  if (type === 'http' || type === 'local') return undefined
  const message = `must be http or local, not ${JSON.stringify(type.slice(0, 40))}`
  if (type === 'grpc') return { message, hint: 'MCPKG keeps grpc for later' }
  return type === 'https' ? { message, hint: 'write http; the url says https' } : { message }
}

function wrongUrl(url: string): Flaw | undefined {
  const parsed = parseUrlTemplate(url)
  return 'problem' in parsed ? parsed.problem : undefined
}

function wrongCommand(command: string): Flaw | undefined {
  if (command.length > MAX_COMMAND) return { message: `must not be longer than ${MAX_COMMAND} characters` }
  const split = splitCommand(command)
  return 'problem' in split ? split.problem : undefined
}
