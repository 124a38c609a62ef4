import { type HttpEndpoint, isJsonObject, type Json, type JsonObject, nearest } from '../../model/index.ts'
import type { Flaw } from '../shape.ts'
import { parseUrlTemplate } from './url-template.ts'

/** Why an endpoint is not part of an OpenAPI document; undefined when it is. */
export function missingInOpenapi(document: JsonObject, { method, url }: HttpEndpoint): Flaw | undefined {
  const template = parseUrlTemplate(url)
  const { paths } = document
  if ('problem' in template || !isJsonObject(paths)) return undefined
  const whole = template.base + template.path
  const matching = Object.keys(paths).filter((path) =>
    serversOf(document, paths[path], method).some((server) => isSame(server, path, whole)),
  )
  if (matching.some((path) => hasOperation(paths[path], method))) return undefined
  const [first] = matching
  if (first !== undefined)
    return { message: `is not in openapi.json with ${method}: \`${first}\` has other methods only` }
  const close = nearest(template.path, Object.keys(paths))
  const message = `is not in openapi.json: no server and path there make ${method} ${whole}`
  return close === undefined ? { message } : { message, hint: `the nearest path there is ${close}` }
}

function hasOperation(item: Json | undefined, method: string): boolean {
  return isJsonObject(item) && isJsonObject(item[method.toLowerCase()])
}

/** The nearest `servers` wins; without any it is the root. Swagger 2 has host and basePath instead. */
function serversOf(document: JsonObject, item: Json | undefined, method: string): string[] {
  if (typeof document.swagger === 'string') return [swaggerBase(document)]
  const operation = isJsonObject(item) ? item[method.toLowerCase()] : undefined
  for (const holder of [operation, item, document]) {
    const urls = isJsonObject(holder) && Array.isArray(holder.servers) ? holder.servers.flatMap(urlOf) : []
    if (urls.length > 0) return urls
  }
  return ['/']
}

function urlOf(server: Json): string[] {
  return isJsonObject(server) && typeof server.url === 'string' ? [server.url] : []
}

function swaggerBase({ host, basePath, schemes }: JsonObject): string {
  const path = typeof basePath === 'string' ? basePath : ''
  if (typeof host !== 'string') return path
  const scheme =
    Array.isArray(schemes) && !schemes.includes('https') && schemes.includes('http') ? 'http' : 'https'
  return `${scheme}://${host}${path}`
}

/** Piece by piece; a piece with {name} in the document stands for any. A relative server says nothing of the host. */
function isSame(server: string, path: string, whole: string): boolean {
  const wanted = (server.replace(/\/+$/, '') + path).replace(/\/+$/, '').split('/')
  const isAbsolute = /^[a-z]+:\/\//i.test(server)
  const found = whole.replace(/\/+$/, '').split('/')
  const compared = isAbsolute ? found : ['', ...found.slice(3)]
  if (wanted.length !== compared.length) return false
  return wanted.every((piece, index) => {
    const other = compared[index] ?? ''
    return /\{[^}]*\}/.test(piece) || piece === other || (isAbsolute && index < 3 && sameHost(piece, other))
  })
}

function sameHost(a: string, b: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/:(?:443|80)$/, '')
  return plain(a) === plain(b)
}
