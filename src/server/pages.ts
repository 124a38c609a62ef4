import { RPC, RpcError } from './rpc-error.ts'

/** How long and for whom a list stays true: a reload may change it at any moment. */
export const LIST_CACHE = { ttlMs: 0, cacheScope: 'private' } as const

/** What fits into a message that every client takes. */
export const MESSAGE_BYTES = 7_000_000

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string
}

/**
 * A page of `items`, which are in the order of their keys. Few clients turn pages, so everything is one page
 * unless it would not fit into a message.
 */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  cursor?: string,
  pageBytes = MESSAGE_BYTES,
  bytesOf: (item: T) => number = jsonBytes,
): Page<T> {
  const sizes = sizesOf(items, bytesOf)
  const start = cursor === undefined ? 0 : startAfter(items, keyOf, cursor)
  let end = start
  for (let bytes = 0; end < items.length; end++) {
    bytes += sizes[end] ?? 0
    if (bytes > pageBytes && end > start) break
  }
  if (start === 0 && end === items.length) return { items }
  const last = items[end - 1]
  return {
    items: items.slice(start, end),
    ...(end < items.length && last && { nextCursor: toCursor(keyOf(last)) }),
  }
}

const cachedSizes = new WeakMap<readonly unknown[], readonly number[]>()

function jsonBytes(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item))
}

function sizesOf<T>(items: readonly T[], bytesOf: (item: T) => number): readonly number[] {
  let sizes = cachedSizes.get(items)
  if (!sizes) {
    sizes = items.map((item) => bytesOf(item) + 1)
    cachedSizes.set(items, sizes)
  }
  return sizes
}

// A cursor is the last key seen, so that it stays good when the catalog changes between two pages.
const CURSOR = /^after:(.+)$/s

function toCursor(key: string): string {
  return Buffer.from(`after:${key}`).toString('base64url')
}

function startAfter<T>(items: readonly T[], keyOf: (item: T) => string, cursor: string): number {
  const key = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())?.[1]
  if (key === undefined) throw new RpcError(RPC.invalidParams, 'The cursor is not one that this server gave')
  const next = items.findIndex((item) => keyOf(item) > key)
  return next === -1 ? items.length : next
}
