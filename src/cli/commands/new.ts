import { type Language, scaffoldPackage } from '../../app/index.ts'
import type { Handler } from '../command.ts'

export const newCommand: Handler = async (input, { world, printer, program }) => {
  const name = input.positionals[0] ?? ''
  const mcpkg = input.flag('mcpkg')
  // The table allows these three only.
  const language = input.text('lang') as Language | undefined
  const { folder, written } = scaffoldPackage(world, name, {
    language,
    capsule: input.flag('capsule'),
    mcpkg,
    http: input.text('http'),
  })
  if (input.flag('json')) {
    printer.json({ folder, written })
    return 0
  }
  for (const file of written) printer.data(`created  ${file}`)
  printer.note(`\nTest it:    ${program} test ${name}`)
  printer.note(`Serve it:   ${program} install --local ${name} --link`)
  if (mcpkg) printer.note(`Pack it:    ${program} pack ${name}`)
  printer.note(`Publish it: commit it to git, then ${program} publish ${name}`)
  return 0
}
