import type { Tool } from './tool.ts'

/** An immutable set of tools and what is wrong with the ones that could not join it. */
export interface Catalog {
  readonly tools: ReadonlyMap<string, Tool>
  readonly problems: readonly Problem[]
}

/** Something wrong with one tool, shown beside the others. */
export interface Problem {
  readonly file: string
  readonly message: string
  readonly hint?: string
  readonly line?: number
}

export const EMPTY_CATALOG: Catalog = { tools: new Map(), problems: [] }
