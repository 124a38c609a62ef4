import { type Catalog, isJsonObject, type JsonSchema, type Progress } from '../../model/index.ts'
import type { ListName, NameStyle, ServerDeps } from '../contract.ts'
import { writeList } from '../handle-list.ts'
import { LIST_CACHE } from '../pages.ts'
import type { WireResult, WrittenResult } from '../result.ts'
import type { RpcError } from '../rpc-error.ts'
import { CAPABILITIES, serverInfo } from '../self.ts'
import { wireCatalog } from '../wire-tools.ts'
import type { Greeting } from './greeting.ts'
import type { Message } from './message.ts'
import { MODERN } from './revision.ts'

type Id = string | number
type Era = 'modern' | 'legacy'

/** Answers as the SDK would give them, written with as little work as possible. */
export interface Answers {
  greeting(greeting: Greeting): Message
  pong(id: Id): Message
  discovery(id: Id): Message
  /** Written once for each catalog. */
  list(id: Id, catalog: Catalog, style: NameStyle, era: Era): Message
  result(id: Id, written: WrittenResult, outputSchema: JsonSchema | undefined, era: Era): Message
}

export function createAnswers(deps: Pick<ServerDeps, 'version' | 'instructions' | 'describe'>): Answers {
  const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo(deps.version) }
  const modernEnd = `,"resultType":"complete","_meta":${JSON.stringify(meta)}}`
  const listEnd = `,${JSON.stringify({ resultType: 'complete', ...LIST_CACHE, _meta: meta }).slice(1)}`
  const lists = { modern: listsByStyle(), legacy: listsByStyle() }

  function listHead(catalog: Catalog, style: NameStyle, era: Era): Buffer {
    const known = lists[era][style].get(catalog)
    if (known) return known
    const page = writeList(wireCatalog(catalog, style, deps.describe).written())
    const head = Buffer.from(`{"result":${page}${era === 'legacy' ? '}' : listEnd},"jsonrpc":"2.0","id":`)
    lists[era][style].set(catalog, head)
    return head
  }

  function instructions() {
    const text = deps.instructions?.()
    return text ? { instructions: text } : {}
  }

  function modernResult({ result, json }: WrittenResult): string {
    if (result._meta === undefined) return json.slice(0, -1) + modernEnd
    return JSON.stringify({ ...result, resultType: 'complete', _meta: { ...result._meta, ...meta } })
  }

  return {
    greeting({ id, protocolVersion }) {
      const result = { protocolVersion, capabilities: CAPABILITIES, serverInfo: serverInfo(deps.version) }
      return response(id, JSON.stringify({ ...result, ...instructions() }))
    },
    pong: (id) => response(id, '{}'),
    discovery(id) {
      const result = {
        supportedVersions: [MODERN],
        capabilities: CAPABILITIES,
        ...instructions(),
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: meta,
      }
      return response(id, JSON.stringify(result))
    },
    list: (id, catalog, style, era) => ({
      head: listHead(catalog, style, era),
      tail: `${JSON.stringify(id)}}`,
    }),
    result: (id, written, outputSchema, era) =>
      response(id, era === 'modern' ? modernResult(written) : legacyResult(written, outputSchema)),
  }
}

function listsByStyle(): Record<NameStyle, WeakMap<Catalog, Buffer>> {
  return { raw: new WeakMap(), safe: new WeakMap() }
}

export function errorAnswer(id: Id, { code, message, data }: RpcError): Message {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } })
}

export function changeNote(list: ListName): string {
  return JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })
}

export function progressNote(progressToken: Id, progress: Progress): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, ...progress },
  })
}

function response(id: Id, result: string): string {
  return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
}

/** Old clients know structured content only as an object, whatever the schema says. */
function legacyResult({ result, json }: WrittenResult, outputSchema: JsonSchema | undefined): string {
  const { structuredContent } = result
  if (structuredContent === undefined) return json
  const isObject =
    isJsonObject(structuredContent) && (outputSchema === undefined || outputSchema.type === 'object')
  if (isObject) return json
  const wrapped: WireResult = { ...result, structuredContent: { result: structuredContent } }
  return JSON.stringify(wrapped)
}
