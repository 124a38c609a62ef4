import { type Manifest, type OfferedTool, sha256 } from '../model/index.ts'

/** SHA-256 over what a model is told about the tool: a change without a new version is suspicious. */
export function definitionHash({ name, description, mcp }: Manifest): string {
  return sha256(JSON.stringify({ name, description, mcp }))
}

/** A tool of an MCP server that is not what was accepted. */
export interface OfferedDifference {
  readonly tool: string
  /** For people: `is new`, `has another description, input schema`. */
  readonly what: string
}

const PARTS = {
  title: 'title',
  description: 'description',
  inputSchema: 'input schema',
  outputSchema: 'output schema',
  annotations: 'annotations',
  icons: 'icons',
  meta: '_meta',
} as const satisfies Partial<Record<keyof OfferedTool, string>>

/** The tools that are offered now and were not, or not with these words. */
export function offeredDifferences(
  accepted: readonly OfferedTool[],
  offered: readonly OfferedTool[],
): OfferedDifference[] {
  const known = new Map(accepted.map((tool) => [tool.name, tool]))
  return offered.flatMap((tool) => {
    const before = known.get(tool.name)
    if (before === undefined) return [{ tool: tool.name, what: 'is new' }]
    const changed = Object.entries(PARTS).flatMap(([key, word]) => {
      const part = key as keyof typeof PARTS // its own keys
      return sorted(before[part]) === sorted(tool[part]) ? [] : [word]
    })
    return changed.length === 0 ? [] : [{ tool: tool.name, what: `has another ${changed.join(', ')}` }]
  })
}

/** The same value is the same text, in whatever order a server writes its keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
