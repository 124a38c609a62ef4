import { type World, wantsColour } from '../app/index.ts'
import { ERRORS, OrlaError } from '../model/index.ts'
import type { Context } from './command.ts'
import { COMMANDS } from './commands.ts'
import { findCommand } from './find-command.ts'
import { helpFor, helpForGroup, overview } from './help.ts'
import { parseWords } from './parse.ts'
import { createPrinter } from './printer.ts'

/** One command line, start to end. Resolves to the exit status. */
export async function run(world: World, program: string, words: readonly string[]): Promise<number> {
  const { out: stdout, err: stderr } = world
  const colours = { stdout: wantsColour(world, stdout), stderr: wantsColour(world, stderr) }
  const context: Context = { world, program, printer: createPrinter({ stdout, stderr, colours }) }
  try {
    return await dispatch(context, words)
  } catch (error) {
    context.printer.error(error)
    return error instanceof OrlaError ? ERRORS[error.code].exit : 1
  }
}

async function dispatch(context: Context, words: readonly string[]): Promise<number> {
  const { world, printer, program } = context
  const [first, ...rest] = words
  if (first === '--version' || first === '-V' || first === 'version') {
    printer.data(`${program} ${world.version}`)
    return 0
  }
  if (first === '--help' || first === '-h') {
    printer.data(overview(program))
    return 0
  }
  // Bare `orla`, and `orla --port 0`, serve. `orla tool install` is `orla install`.
  const named = first !== undefined && !first.startsWith('-')
  const given = first === 'tool' && rest.length > 0 ? rest : words
  const group =
    named && (given[1] === '--help' || given[1] === '-h') ? helpForGroup(given[0] ?? '') : undefined
  if (group !== undefined && !COMMANDS.some(({ name }) => name === given[0])) {
    printer.data(group)
    return 0
  }
  const { command, rest: remaining } = named ? findCommand(given) : findCommand(['serve', ...words])
  const input = parseWords(command, remaining)
  if (input.flag('help')) {
    printer.data(helpFor(command))
    return 0
  }
  const handler = await command.load()
  return handler(input, context)
}
