import { listTools } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { printProblems } from '../problems.ts'
import { configRequest } from '../settings.ts'

export const listCommand: Handler = async (input, { world, printer, program }) => {
  const { tools, problems, toolsDir, missing } = await listTools(world, configRequest(input))
  if (input.flag('json')) {
    printer.json({ tools, problems })
    return 0
  }
  if (tools.length > 0) {
    printer.table(
      tools.map((tool) => [tool.name, tool.mode, tool.file, tool.description.split('\n')[0] ?? '']),
      ['NAME', 'KIND', 'FILE', 'DESCRIPTION'],
    )
  } else {
    printer.note(missing ? `There is no folder ${toolsDir}.` : `There are no tools in ${toolsDir}.`)
    printer.note(
      missing ? `\`${program} init\` makes it with a sample.` : 'Put an executable there and it is a tool.',
    )
  }
  printProblems(printer, problems)
  return 0
}
