import { orEveryones, uninstallPackages } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { configRequest } from '../settings.ts'

export const uninstallCommand: Handler = async (input, context) => {
  const { world } = context
  const request = configRequest(input)
  const names = input.positionals
  const removed = await orEveryones(
    world,
    request,
    names,
    uninstallPackages(world, request, names, converse(input, context)),
  )
  if (input.flag('json')) {
    context.printer.json({ removed: removed.map(({ name, version, folder }) => ({ name, version, folder })) })
    return 0
  }
  for (const { name, version, linked } of removed) {
    context.printer.data(`${name} ${version} ${linked ? 'unlinked' : 'removed'}`)
  }
  return 0
}
