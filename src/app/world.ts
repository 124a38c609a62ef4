import type { Readable } from 'node:stream'
import { HARMLESS_VARIABLES } from '../formats/index.ts'
import type { Config } from '../model/index.ts'
import type { Outlet } from '../platform/index.ts'

/** Everything the program learns from outside, gathered by main.ts and handed down. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly version: string
  /** Where the program itself lies. */
  readonly folder: string
  readonly stdin: Readable & { readonly isTTY?: boolean }
  /** Its descriptor, where it is the real one. */
  readonly stdinFd?: number
  /** The same of stdout. */
  readonly stdoutFd?: number
  /** For what a command prints. */
  readonly out: Outlet
  readonly err: Outlet
  /** The same as streams, opened when someone asks for them. */
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Told that what is printed depends on more than can be looked at again. */
  readonly doubt?: () => void
  /** Returns a function that stops listening. */
  onSignal(name: 'SIGHUP' | 'SIGINT' | 'SIGTERM', handler: () => void): () => void
  /** Called with what would otherwise end the program. */
  onPanic(handler: (error: unknown, kind: string) => void): void
}

/** Colours only where someone looks, and not where they asked for none. */
export function wantsColour(world: World, stream: Outlet): boolean {
  if (world.env.NO_COLOR) return false
  if (world.env.CLICOLOR_FORCE && world.env.CLICOLOR_FORCE !== '0') return true
  return stream.isTTY === true && world.env.TERM !== 'dumb'
}

/** The variables that are set. */
export function environmentOf(world: World): Record<string, string> {
  return Object.fromEntries(
    Object.entries(world.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/**
 * What a tool of the operator sees: the environment of Orla without Orla's own variables, nor those that hold the
 * tokens of clients.
 */
export function toolEnvironment(world: World, { auth }: Pick<Config, 'auth'>): Record<string, string> {
  const tokens = new Set(auth.tokens.map(({ env }) => env))
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(world.env)) {
    if (value !== undefined && !name.startsWith('ORLA_') && !tokens.has(name)) passed[name] = value
  }
  return passed
}

/** What a stranger's program sees outside of a call: nothing that could be a secret. */
export function harmlessEnvironment(world: World): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of HARMLESS_VARIABLES) {
    const value = world.env[name]
    if (value !== undefined) passed[name] = value
  }
  return passed
}
