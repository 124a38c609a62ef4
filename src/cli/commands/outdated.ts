import { listOutdated } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { configRequest } from '../settings.ts'

export const outdatedCommand: Handler = async (input, context) => {
  const { world, printer, program } = context
  const outdated = await listOutdated(
    world,
    configRequest(input),
    input.positionals,
    converse(input, context),
  )
  if (input.flag('json')) printer.json({ outdated })
  else if (outdated.length === 0) printer.data('Everything is up to date.')
  else {
    printer.table(
      outdated.map(({ name, current, latest }) => [name, current, latest]),
      ['NAME', 'INSTALLED', 'LATEST'],
    )
    printer.note(`\n\`${program} update\` brings them.`)
  }
  return 0
}
