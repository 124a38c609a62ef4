import type { Tool } from './tool.ts'

/** An immutable set of tools and what is wrong with the ones that could not join it. */
export interface Catalog {
  readonly tools: ReadonlyMap<string, Tool>
  readonly problems: readonly Problem[]
  /** What packages bring for models to read: examples and tests. */
  readonly documents?: readonly Document[]
  readonly prompts?: readonly Prompt[]
}

/** A file of a package that clients may read as a resource. */
export interface Document {
  /** `orla://tool/NAME/examples/FILE` */
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType: string
  /** Absolute. */
  readonly file: string
}

/** A text of a package with places for arguments, written `{{name}}`. */
export interface Prompt {
  /** `NAME.PROMPT` */
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly {
    readonly name: string
    readonly description?: string
    readonly required: boolean
  }[]
  readonly text: string
}

/** Something wrong with one tool, shown beside the others. */
export interface Problem {
  readonly file: string
  readonly message: string
  readonly hint?: string
  readonly line?: number
  /** The tool that is there and does not serve because of this: who calls it is told, and denied. */
  readonly tool?: string
}

export const EMPTY_CATALOG: Catalog = { tools: new Map(), problems: [] }
