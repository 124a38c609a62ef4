import { toWireTool, type WireTool, wireNames } from '../formats/index.ts'
import type { Catalog, JsonSchema, Tool } from '../model/index.ts'
import type { Describe, NameStyle } from './contract.ts'

/** A catalog as clients see it. */
export interface WireCatalog {
  /** By name, in code-point order. */
  readonly tools: readonly WireTool[]
  /** What the catalog calls the tool a client names. Unknown names stay as they are. */
  catalogName(wireName: string): string
  inputSchema(wireName: string): JsonSchema | undefined
}

type Cache = Readonly<Record<NameStyle, WeakMap<Catalog, WireCatalog>>>

const caches = new WeakMap<Describe, Cache>()

/** Built once per catalog, style and way to describe: catalogs never change. */
export function wireCatalog(
  catalog: Catalog,
  style: NameStyle,
  describe: Describe = asDeclared,
): WireCatalog {
  const cache = cacheFor(describe)[style]
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

function build(catalog: Catalog, style: NameStyle, describe: Describe): WireCatalog {
  const names = wireNames([...catalog.tools.keys()], style)
  const byWire = new Map<string, WireTool>()
  const catalogNames = new Map<string, string>()
  for (const [name, tool] of catalog.tools) {
    const wireName = names.get(name) ?? name
    byWire.set(wireName, toWireTool(tool, wireName, describe(tool)))
    catalogNames.set(wireName, name)
  }
  return {
    tools: [...byWire.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    catalogName: (wireName) => catalogNames.get(wireName) ?? wireName,
    inputSchema: (wireName) => byWire.get(wireName)?.inputSchema,
  }
}
