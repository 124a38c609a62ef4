import { everyonesPackages } from '../app/index.ts'
import type { Context, Input } from './command.ts'
import { configRequest } from './settings.ts'

/** Says what a command about everything in a project has left alone. */
export async function noteEveryones(input: Input, { world, printer }: Context): Promise<void> {
  if (input.positionals.length > 0) return
  const others = await everyonesPackages(world, configRequest(input))
  if (others.length === 0) return
  printer.note(`Not looked at, because installed for every project: ${others.join(', ')} (--global does)`)
}
