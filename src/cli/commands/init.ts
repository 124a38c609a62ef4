import { initProject } from '../../app/index.ts'
import type { Handler } from '../command.ts'

export const initCommand: Handler = async (input, { world, printer, program }) => {
  const { folder, written, kept } = initProject(world, input.positionals[0] ?? '.')
  if (input.flag('json')) {
    printer.json({ folder, written, kept })
    return 0
  }
  for (const file of written) printer.data(`created  ${file}`)
  for (const file of kept) printer.data(`kept     ${file}`)
  const there = folder === world.cwd ? '' : `cd ${input.positionals[0]} && `
  printer.note('')
  printer.note(`Try it:   ${there}${program} call hello --arg name=Ada`)
  printer.note(`Serve it: ${there}${program}`)
  return 0
}
