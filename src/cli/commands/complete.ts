import { listTools } from '../../app/index.ts'
import type { Command, Context, Handler } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { TOPICS } from '../help.ts'
import { COMMON } from '../parse.ts'

/** The candidates for the last word of a line, one a line. Never an error: completion stays quiet. */
export const completeCommand: Handler = async (input, context) => {
  const words = input.positionals
  const last = words.at(-1) ?? ''
  const candidates = await candidatesFor(words.slice(0, -1), last, context)
  for (const candidate of candidates) if (candidate.startsWith(last)) context.printer.data(candidate)
  return 0
}

async function candidatesFor(
  before: readonly string[],
  last: string,
  context: Context,
): Promise<readonly string[]> {
  const shown = COMMANDS.filter((command) => !command.hidden)
  const name = before.find((word) => !word.startsWith('-'))
  const command = shown.find((candidate) => candidate.name === (name ?? 'serve'))
  if (command === undefined) return []
  const options = [...command.options, ...COMMON]
  const pending = options.find((option) => option.value !== undefined && before.at(-1) === `--${option.name}`)
  if (pending) return pending.choices ?? []
  if (last.startsWith('-')) return options.map((option) => `--${option.name}`)
  if (name === undefined) return shown.map((candidate) => candidate.name)
  return valuesOf(command, before, context)
}

async function valuesOf(
  command: Command,
  before: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const typed = before.slice(before.indexOf(command.name) + 1).filter((word) => !word.startsWith('-'))
  const positional = command.positionals[typed.length] ?? command.positionals.at(-1)
  if (positional?.choices) return positional.choices
  if (positional?.values === 'commands')
    return [...COMMANDS.filter((one) => !one.hidden).map((one) => one.name), ...Object.keys(TOPICS)]
  if (positional?.values !== 'tools') return []
  try {
    return (await listTools(context.world, { flags: {} })).tools.map((tool) => tool.name)
  } catch {
    return [] // a broken configuration is not reported in the middle of a line
  }
}
