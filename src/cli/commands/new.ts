import { type Language, scaffoldChain, scaffoldPackage } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const newCommand: Handler = async (input, { world, printer, program }) => {
  const name = input.positionals[0] ?? ''
  const mcpkg = input.flag('mcpkg')
  // The table allows these three only.
  const language = input.text('lang') as Language | undefined
  const chain = input.text('chain')?.split(',')
  const wish = {
    language,
    capsule: input.flag('capsule'),
    mcpkg,
    http: input.text('http'),
  }
  const { folder, written } =
    chain === undefined
      ? scaffoldPackage(world, name, wish)
      : await scaffoldChain(world, configRequest(input), name, chain, wish)
  if (input.flag('json')) {
    printer.json({ folder, written })
    return 0
  }
  for (const file of written) printer.data(`created  ${file}`)
  if (chain === undefined) printer.note(`\nTest it:    ${program} test ${name}`)
  else printer.note(`\nRead it:    ${name}/manifest.json says what each step is given`)
  printer.note(`Serve it:   ${program} install --local ${name} --link`)
  if (mcpkg) printer.note(`Pack it:    ${program} pack ${name}`)
  printer.note(`Publish it: commit it to git, then ${program} publish ${name}`)
  return 0
}
