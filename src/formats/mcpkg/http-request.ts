import type { HttpEndpoint, Json, JsonObject, McpkgAuth } from '../../model/index.ts'
import { compact } from '../compact.ts'
import type { Flaw } from '../shape.ts'
import { credentialsOf, type FindSecret } from './credentials.ts'
import { fillPath } from './fill-path.ts'
import { parseUrlTemplate } from './url-template.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type HttpPlan =
  | {
      readonly request: HttpRequest
      /** To be sent first: the `access_token` of its answer goes into the request with `withToken`. */
      readonly tokenRequest?: HttpRequest
      /** What must not show up in logs. */
      readonly sensitive: readonly string[]
    }
  /** Nothing may be sent. */
  | { readonly problems: readonly Flaw[] }

/** The methods whose arguments go into the query. */
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE']

/** The request that carries out one call, from the arguments and the secrets at hand. */
export function httpRequestOf(
  { endpoint, auth }: { readonly endpoint: HttpEndpoint; readonly auth: McpkgAuth },
  args: JsonObject,
  findSecret: FindSecret,
): HttpPlan {
  const template = parseUrlTemplate(endpoint.url)
  if ('problem' in template)
    return { problems: [{ ...template.problem, message: `the URL ${template.problem.message}` }] }
  const filled = fillPath(template, args)
  const credentials = credentialsOf(auth, findSecret)
  const rest = Object.entries(args).filter(([key]) => !template.names.includes(key))
  const inQuery = WITHOUT_BODY.includes(endpoint.method)
  const fixed = template.query.slice(1)
  const query = new URLSearchParams()
  const clashes = inQuery
    ? clashesOf(rest, [...new URLSearchParams(fixed).keys(), ...Object.keys(credentials.query)])
    : []
  const problems = [...filled.problems, ...credentials.problems, ...clashes]
  if (problems.length > 0) return { problems }
  for (const [key, value] of inQuery ? rest : [])
    for (const word of queryWords(value)) query.append(key, word)
  for (const [key, value] of Object.entries(credentials.query)) query.set(key, value)
  const search = [fixed, query.toString()].filter((part) => part !== '').join('&')
  const body = inQuery ? undefined : JSON.stringify(Object.fromEntries(rest))
  return compact<Extract<HttpPlan, { request: unknown }>>({
    request: compact<HttpRequest>({
      method: endpoint.method,
      url: new URL(template.base + filled.path + (search === '' ? '' : `?${search}`)).href,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...credentials.headers,
      },
      body,
    }),
    tokenRequest: credentials.tokenRequest,
    sensitive: credentials.sensitive,
  })
}

/** The request with the token that was asked for. */
export function withToken(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }
}

/** A model must not be able to say twice what the package or the secret already says. */
function clashesOf(args: readonly (readonly [string, Json])[], taken: readonly string[]): Flaw[] {
  return args
    .filter(([key]) => taken.includes(key))
    .map(([key]) => ({ message: `the argument \`${key}\` cannot be sent: the URL already says \`${key}\`` }))
}

/** Texts as they are, lists one by one, maps as JSON. A query cannot say null, so it is left out. */
function queryWords(value: Json): string[] {
  if (value === null) return []
  if (Array.isArray(value))
    return value.flatMap((item: Json) => (Array.isArray(item) ? [JSON.stringify(item)] : queryWords(item)))
  return [typeof value === 'string' ? value : JSON.stringify(value)]
}
