import { EXPORT_FORMATS, exportCatalog } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const exportCommand: Handler = async (input, { world, printer }) => {
  const format = EXPORT_FORMATS.find((one) => one === input.text('format')) ?? 'mcp'
  const file = input.text('output')
  const exported = await exportCatalog(world, configRequest(input), {
    format,
    ...(file === undefined ? {} : { file }),
    examples: input.flag('examples'),
    tests: input.flag('tests'),
  })
  if (exported.file === null) printer.raw(exported.text)
  else printer.note(`${exported.count} tools written to ${oneLine(exported.file)}`)
  for (const [name, count] of exported.cut) {
    const what = count === 1 ? '1 example or test' : `${count} examples and tests`
    printer.note(`warning: ${what} of \`${name}\` left out: a description with them would be too long`)
  }
  for (const name of exported.unasked) {
    printer.note(`warning: \`${name}\` is an MCP server that has not been asked for its tools yet`)
  }
  return 0
}
