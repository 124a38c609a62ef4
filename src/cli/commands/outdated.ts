import { listOutdated, orEveryones } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { noteEveryones } from '../everyones.ts'
import { nothingNewer } from '../nothing-newer.ts'
import { configRequest } from '../settings.ts'

export const outdatedCommand: Handler = async (input, context) => {
  const { world, printer, program } = context
  const request = configRequest(input)
  const names = input.positionals
  const { outdated, unasked } = await orEveryones(
    world,
    request,
    names,
    listOutdated(world, request, names, converse(input, context)),
  )
  if (input.flag('json')) {
    printer.json({ outdated, unasked })
    return unasked.length === 0 ? 0 : 1
  }
  if (outdated.length === 0) printer.data(nothingNewer(unasked))
  else {
    printer.table(
      outdated.map(({ name, current, latest }) => [name, current, latest]),
      ['NAME', 'INSTALLED', 'LATEST'],
    )
    printer.note(`\n\`${program} update\` brings them.`)
  }
  await noteEveryones(input, context)
  return unasked.length === 0 ? 0 : 1
}
