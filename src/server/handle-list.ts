import type { WireTool } from '../formats/index.ts'
import { MESSAGE_BYTES, pageOf } from './pages.ts'
import type { WrittenTool } from './wire-tools.ts'

export interface ToolPage {
  readonly tools: readonly WireTool[]
  readonly nextCursor?: string
}

/** `tools/list`, whatever the era. */
export function handleList(all: readonly WireTool[], cursor?: string, pageBytes?: number): ToolPage {
  const { items: tools, ...rest } = pageOf(all, nameOf, cursor, pageBytes)
  return { tools, ...rest }
}

/** The first page as JSON, without its closing brace: what else belongs to the result may follow. */
export function writeList(all: readonly WrittenTool[], pageBytes = MESSAGE_BYTES): string {
  const { items, nextCursor } = fits(all, pageBytes)
    ? { items: all }
    : pageOf(all, nameOf, undefined, pageBytes, bytesOf)
  const more = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return `{"tools":[${items.map(({ json }) => json).join(',')}]${more}`
}

/** Certainly: no letter takes more than three bytes for each of its units. */
function fits(all: readonly WrittenTool[], pageBytes: number): boolean {
  let units = 0
  for (const { json } of all) units += json.length + 1
  return units * 3 <= pageBytes
}

function nameOf({ name }: { readonly name: string }): string {
  return name
}

function bytesOf({ json }: WrittenTool): number {
  return Buffer.byteLength(json)
}
