import { rollbackPackage, usePackage } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { configRequest } from '../settings.ts'

export const useCommand: Handler = choosing(usePackage)
export const rollbackCommand: Handler = choosing(rollbackPackage)

function choosing(choose: typeof usePackage): Handler {
  return async (input, context) => {
    const choice = await choose(
      context.world,
      configRequest(input),
      input.positionals[0] ?? '',
      converse(input, context),
    )
    if (input.flag('json')) context.printer.json(choice)
    else context.printer.data(`${choice.name} ${choice.version} serves from now on (${choice.file})`)
    return 0
  }
}
