import type { JsonSchema } from '../../model/index.ts'

/**
 * A shape reads an untrusted value into a typed one, collects every problem on the way, and describes
 * itself as JSON Schema (draft 7) for editors. One declaration serves files, environment, flags and docs.
 */
export interface Shape<T> {
  /** Made when someone asks: most programs only read. */
  readonly schema: () => JsonSchema
  /** undefined when it does not fit; the reason is in `issues` then. */
  read(value: unknown, path: Path, issues: Issue[]): T | undefined
  /** How the same value is written on a command line or in the environment. */
  fromText(text: string): unknown
  /** The value as one would write it in a file, where that differs from what was read. */
  written?(value: unknown): unknown
  /** null is a value here, not a key left empty. */
  readonly takesNull?: boolean
  readonly about: string
  readonly fields?: Readonly<Record<string, Shape<unknown>>>
  readonly isPath?: boolean
  readonly required?: boolean
}

export type Path = readonly (string | number)[]

/** What is wrong with one value, and the way out. */
export interface Flaw {
  readonly message: string
  readonly hint?: string
}

export interface Issue extends Flaw {
  readonly path: Path
  /** A warning does not refuse the file. Issues are errors unless they say otherwise. */
  readonly severity?: 'warning'
  /** The key itself is wrong, not its value. */
  readonly onKey?: boolean
  /** A number was found where text belongs: what to write in quotes, from its spelling in the file. */
  readonly quote?: (spelled: string) => string
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never
export type Fields = Readonly<Record<string, Shape<unknown>>>
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F]
export type ObjectOf<F extends Fields> = {
  readonly [K in RequiredKeys<F>]: ValueOf<F[K]>
} & { readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> }
