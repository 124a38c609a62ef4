import { searchPackages } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { networkOptions } from '../network.ts'
import { configRequest } from '../settings.ts'

export const searchCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const filters = Object.fromEntries(
    ['keyword', 'capability', 'language', 'platform'].flatMap((name) => {
      const value = input.text(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const query = input.positionals.join(' ')
  const hits = await searchPackages(
    world,
    configRequest(input),
    query,
    filters,
    networkOptions(input),
    converse(input, context),
  )
  if (input.flag('json')) printer.json({ results: hits })
  else if (hits.length === 0) printer.note(`Nothing fits ${JSON.stringify(query)}.`)
  else
    printer.table(
      hits.map(({ name, registry, description }) => [name, registry, description]),
      ['NAME', 'REGISTRY', 'DESCRIPTION'],
    )
  return 0
}
