import type { World } from '../app/index.ts'
import type { Printer } from './printer.ts'

/** A command as people see it. Help, completion, the reference and the parser all read this one table. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** Whether it only looks, or changes something. */
  readonly effect: 'reads' | 'changes' | 'runs' | 'controls'
  readonly positionals: readonly Positional[]
  readonly options: readonly Option[]
  readonly examples: readonly (readonly [line: string, meaning: string])[]
  readonly more?: string
  /** Not listed in help. */
  readonly hidden?: boolean
  /** Loads the code behind the command, only when it runs. */
  load(): Promise<Handler>
}

export interface Positional {
  readonly name: string
  readonly about: string
  readonly optional?: boolean
  readonly many?: boolean
  readonly choices?: readonly string[]
  /** What completion offers. */
  readonly values?: 'tools' | 'commands' | 'packages'
}

export interface Option {
  readonly name: string
  readonly short?: string
  /** Present when the option takes a value: the word shown for it. */
  readonly value?: string
  readonly many?: boolean
  readonly about: string
  readonly choices?: readonly string[]
}

export interface Input {
  readonly positionals: readonly string[]
  /** Options given, by name: the last value, or true. */
  readonly options: Readonly<Record<string, string | true>>
  /** Every value of an option that may be repeated. */
  all(name: string): readonly string[]
  text(name: string): string | undefined
  flag(name: string): boolean
}

export interface Context {
  readonly world: World
  readonly printer: Printer
  /** The name it was called by: orla, mcp or mcpkg. */
  readonly program: string
}

/** Resolves to the exit status. */
export type Handler = (input: Input, context: Context) => Promise<number>
