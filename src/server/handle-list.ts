import type { WireTool } from '../formats/index.ts'
import { pageOf } from './pages.ts'
import type { WrittenTool } from './wire-tools.ts'

export interface ToolPage {
  readonly tools: readonly WireTool[]
  readonly nextCursor?: string
}

/** `tools/list`, whatever the era. */
export function handleList(all: readonly WireTool[], cursor?: string, pageBytes?: number): ToolPage {
  const { items: tools, ...rest } = pageOf(all, ({ name }) => name, cursor, pageBytes)
  return { tools, ...rest }
}

/** The first page as JSON, without its closing brace: what else belongs to the result may follow. */
export function writeList(all: readonly WrittenTool[], pageBytes?: number): string {
  const { items, nextCursor } = pageOf(
    all,
    ({ name }) => name,
    undefined,
    pageBytes,
    ({ json }) => Buffer.byteLength(json),
  )
  const more = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return `{"tools":[${items.map(({ json }) => json).join(',')}]${more}`
}
