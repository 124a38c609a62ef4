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
  const words = before.filter((word) => !word.startsWith('-'))
  const name = words[0]
  const pair = words.slice(0, 2).join(' ')
  const command =
    shown.find((one) => one.name === pair) ?? shown.find((one) => one.name === (name ?? 'serve'))
  if (command === undefined) return words.length === 1 ? membersOf(`${name} `) : []
  const options = [...command.options, ...COMMON]
  const pending = options.find((option) => option.value !== undefined && before.at(-1) === `--${option.name}`)
  if (pending) return pending.choices ?? []
  if (last.startsWith('-')) return options.map((option) => `--${option.name}`)
  if (name === undefined) return [...new Set(shown.map((candidate) => candidate.name.split(' ')[0] ?? ''))]
  return valuesOf(command, before, context)
}

async function valuesOf(
  command: Command,
  before: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const own = command.name.split(' ').length
  const typed = before.filter((word) => !word.startsWith('-')).slice(own)
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

/** The second words of a group such as `registry`. */
function membersOf(prefix: string): string[] {
  return COMMANDS.filter((one) => one.name.startsWith(prefix)).map((one) => one.name.slice(prefix.length))
}
