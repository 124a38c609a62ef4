import { type Catalog, type JsonObject, type JsonSchema, OPEN_INPUT, type Tool } from '../model/index.ts'
import type { NameStyle } from './contract.ts'

/** A catalog as clients see it. */
export interface WireCatalog {
  /** By name, in code-point order. */
  readonly tools: readonly WireTool[]
  /** What the catalog calls the tool a client names. Unknown names stay as they are. */
  catalogName(wireName: string): string
  inputSchema(wireName: string): JsonSchema | undefined
}

export interface WireTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: JsonObject
  readonly icons?: readonly JsonObject[]
  readonly _meta?: JsonObject
}

const cache: Record<NameStyle, WeakMap<Catalog, WireCatalog>> = { raw: new WeakMap(), safe: new WeakMap() }

/** Built once per catalog and style: catalogs never change. */
export function wireCatalog(catalog: Catalog, style: NameStyle): WireCatalog {
  const cached = cache[style].get(catalog)
  if (cached) return cached
  const wire = build(catalog, style)
  cache[style].set(catalog, wire)
  return wire
}

function build(catalog: Catalog, style: NameStyle): WireCatalog {
  const names = wireNames([...catalog.tools.keys()], style)
  const byWire = new Map<string, WireTool>()
  const catalogNames = new Map<string, string>()
  for (const [name, tool] of catalog.tools) {
    const wireName = names.get(name) ?? name
    byWire.set(wireName, toWireTool(tool, wireName))
    catalogNames.set(wireName, name)
  }
  return {
    tools: [...byWire.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    catalogName: (wireName) => catalogNames.get(wireName) ?? wireName,
    inputSchema: (wireName) => byWire.get(wireName)?.inputSchema,
  }
}

/** A safe name that two tools would share is used by neither. */
function wireNames(names: readonly string[], style: NameStyle): ReadonlyMap<string, string> {
  if (style === 'raw') return new Map()
  const claims = new Map<string, number>()
  for (const name of names) claims.set(safe(name), (claims.get(safe(name)) ?? 0) + 1)
  return new Map(names.map((name) => [name, claims.get(safe(name)) === 1 ? safe(name) : name]))
}

function safe(name: string): string {
  return name.replaceAll('.', '_')
}

function toWireTool(tool: Tool, name: string): WireTool {
  const annotations = tool.annotations && soundAnnotations(tool.annotations)
  const icons = tool.icons?.filter((icon) => typeof icon.src === 'string')
  return {
    name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema: objectSchema(tool.inputSchema ?? OPEN_INPUT),
    ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
    ...(annotations && { annotations }),
    ...(icons?.length && { icons }),
    ...(tool.meta && { _meta: tool.meta }),
  }
}

// Clients validate the list as a whole: one odd schema or annotation would hide every tool.
function objectSchema(schema: JsonSchema): JsonSchema {
  return schema.type === 'object' ? schema : { ...schema, type: 'object' }
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

function soundAnnotations(annotations: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key, value]) => {
      if (key === 'title') return typeof value === 'string'
      return !HINTS.includes(key) || typeof value === 'boolean'
    }),
  )
}
