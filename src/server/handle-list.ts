import type { WireTool } from '../formats/index.ts'
import { pageOf } from './pages.ts'

export interface ToolPage {
  readonly tools: readonly WireTool[]
  readonly nextCursor?: string
}

/** `tools/list`, whatever the era. */
export function handleList(all: readonly WireTool[], cursor?: string, pageBytes?: number): ToolPage {
  const { items: tools, ...rest } = pageOf(all, ({ name }) => name, cursor, pageBytes)
  return { tools, ...rest }
}
