import { type ConfigRequest, listTools, newerPackages, type World } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import type { Printer } from '../printer.ts'
import { printProblems } from '../problems.ts'
import { configRequest } from '../settings.ts'

export const listCommand: Handler = async (input, { world, printer, program }) => {
  const { tools, listed, packages, problems, toolsDir, missing } = await listTools(
    world,
    configRequest(input),
  )
  if (input.flag('json')) {
    printer.json({
      tools: tools.map((tool) => ({
        ...listed(tool),
        input_schema: tool.inputSchema ?? null,
        output_schema: tool.outputSchema ?? null,
      })),
      packages: packages('in use', 'other version', 'shadowed'),
      problems,
    })
    return 0
  }
  const others = packages('other version', 'shadowed')
  const rows = tools.map((tool) => {
    const { name, version, mode, from, description } = listed(tool)
    return [name, mode === 'loose' ? '-' : version, mode, from, firstLine(description)]
  })
  if (others.length > 0) {
    rows.push(
      ...others.map((one) => [one.name, one.version, one.state, one.from, firstLine(one.description)]),
    )
    rows.sort(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0))
  }
  if (rows.length > 0) {
    printer.table(rows, ['NAME', 'VERSION', 'MODE', 'FROM', 'DESCRIPTION'])
  } else {
    printer.note(missing ? `There is no folder ${toolsDir}.` : `There are no tools in ${toolsDir}.`)
    printer.note(
      missing ? `\`${program} init\` makes it with a sample.` : 'Put an executable there and it is a tool.',
    )
  }
  printProblems(printer, problems)
  if (world.err.isTTY) await printNews(world, configRequest(input), printer, program)
  return 0
}

/** Quietly, at most once a day, and only where someone reads it. */
async function printNews(
  world: World,
  request: ConfigRequest,
  printer: Printer,
  program: string,
): Promise<void> {
  const news = await newerPackages(world, request)
  if (news.length === 0) return
  const versions = news.map(({ name, current, latest }) => `${name} ${current} → ${latest}`).join(', ')
  printer.note(`\nNewer: ${versions}. \`${program} update\` brings them.`)
}

function firstLine(description: string): string {
  const end = description.indexOf('\n')
  return end < 0 ? description : description.slice(0, end)
}
