import type { Catalog } from '../model/index.ts'
import type { NameStyle } from './contract.ts'
import { RPC, RpcError } from './rpc-error.ts'
import { type WireTool, wireCatalog } from './wire-tools.ts'

/** How long and for whom a list stays true: a reload may change it at any moment. */
export const LIST_CACHE = { ttlMs: 0, cacheScope: 'private' } as const

const PAGE_BYTES = 7_000_000

export interface ToolPage {
  readonly tools: readonly WireTool[]
  readonly nextCursor?: string
}

/**
 * `tools/list`, whatever the era. Few clients turn pages, so everything is one page
 * unless it would not fit into a message.
 */
export function handleList(
  catalog: Catalog,
  style: NameStyle,
  cursor?: string,
  pageBytes = PAGE_BYTES,
): ToolPage {
  const { tools } = wireCatalog(catalog, style)
  const sizes = sizesOf(tools)
  const start = cursor === undefined ? 0 : startAfter(tools, cursor)
  let end = start
  for (let bytes = 0; end < tools.length; end++) {
    bytes += sizes[end] ?? 0
    if (bytes > pageBytes && end > start) break
  }
  if (start === 0 && end === tools.length) return { tools }
  const last = tools[end - 1]
  return {
    tools: tools.slice(start, end),
    ...(end < tools.length && last && { nextCursor: toCursor(last.name) }),
  }
}

const cachedSizes = new WeakMap<readonly WireTool[], readonly number[]>()

function sizesOf(tools: readonly WireTool[]): readonly number[] {
  let sizes = cachedSizes.get(tools)
  if (!sizes) {
    sizes = tools.map((tool) => Buffer.byteLength(JSON.stringify(tool)) + 1)
    cachedSizes.set(tools, sizes)
  }
  return sizes
}

// A cursor is the last name seen, so that it stays good when the catalog changes between two pages.
const CURSOR = /^after:([A-Za-z0-9_.-]{1,128})$/

function toCursor(name: string): string {
  return Buffer.from(`after:${name}`).toString('base64url')
}

function startAfter(tools: readonly WireTool[], cursor: string): number {
  const name = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())?.[1]
  if (name === undefined) throw new RpcError(RPC.invalidParams, 'The cursor is not one that this server gave')
  const next = tools.findIndex((tool) => tool.name > name)
  return next === -1 ? tools.length : next
}
