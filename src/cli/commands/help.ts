import { nearest, OrlaError } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { helpFor, helpForGroup, overview, TOPICS } from '../help.ts'

export const helpCommand: Handler = async (input, { printer, program }) => {
  const subject = input.positionals.join(' ')
  if (subject === '') {
    printer.data(overview(program))
    return 0
  }
  const command = COMMANDS.find(({ name }) => name === subject)
  const text = command ? helpFor(command) : (TOPICS[subject] ?? helpForGroup(subject))
  if (text !== undefined) {
    printer.data(text)
    return 0
  }
  const close = nearest(subject, [...COMMANDS.map(({ name }) => name), ...Object.keys(TOPICS)])
  throw new OrlaError('E_USAGE', `there is no command or topic \`${subject}\``, {
    hint: close ? `did you mean \`orla help ${close}\`?` : '`orla help` lists them',
  })
}
