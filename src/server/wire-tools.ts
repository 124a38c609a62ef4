import { toWireTool, type WireTool, wireNames, wireToolJson } from '../formats/index.ts'
import type { Catalog, JsonSchema, Tool } from '../model/index.ts'
import type { Describe, NameStyle } from './contract.ts'

/** A catalog as clients see it. */
export interface WireCatalog {
  /** By name, in code-point order. */
  readonly tools: readonly WireTool[]
  /** The same, written. Made anew each time. */
  written(): readonly WrittenTool[]
  /** What the catalog calls the tool a client names. Unknown names stay as they are. */
  catalogName(wireName: string): string
  inputSchema(wireName: string): JsonSchema | undefined
}

export interface WrittenTool {
  readonly name: string
  readonly json: string
}

type Cache = Readonly<Record<NameStyle, WeakMap<Catalog, WireCatalog>>>

const caches = new WeakMap<Describe, Cache>()

/** Built once per catalog, style and way to describe: catalogs never change. */
export function wireCatalog(catalog: Catalog, style: NameStyle, describe?: Describe): WireCatalog {
  const cache = cacheFor(describe ?? asDeclared)[style]
  const cached = cache.get(catalog)
  if (cached) return cached
  const wire = build(catalog, style, describe)
  cache.set(catalog, wire)
  return wire
}

function asDeclared({ description }: Tool): string {
  return description
}

function cacheFor(describe: Describe): Cache {
  let cache = caches.get(describe)
  if (!cache) {
    cache = { raw: new WeakMap(), safe: new WeakMap() }
    caches.set(describe, cache)
  }
  return cache
}

/** Of a large catalog clients may never ask for more than the list, which is written without making these. */
function build(catalog: Catalog, style: NameStyle, describe: Describe | undefined): WireCatalog {
  const names = wireNames([...catalog.tools.keys()], style)
  const wireName = (name: string) => names.get(name) ?? name
  const tools = once(() =>
    [...catalog.tools]
      .map(([name, tool]) => toWireTool(tool, wireName(name), (describe ?? asDeclared)(tool)))
      .sort(byName),
  )
  const catalogNames = once(() => new Map([...names].map(([name, wire]) => [wire, name])))
  const catalogName = (name: string) => catalogNames().get(name) ?? name
  return {
    get tools() {
      return tools()
    },
    written: () =>
      Array.from(catalog.tools, ([name, tool]) => {
        const wire = wireName(name)
        return { name: wire, json: wireToolJson(tool, wire, describe?.(tool)) }
      }).sort(byName),
    catalogName,
    inputSchema(name) {
      const tool = catalog.tools.get(catalogName(name))
      return tool && wireName(tool.name) === name ? toWireTool(tool, name, '').inputSchema : undefined
    },
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
