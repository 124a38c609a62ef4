import { searchPackages } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { type Filters, filtersOf, filterWords } from '../filters.ts'
import { networkOptions } from '../network.ts'
import { numberOf } from '../numbers.ts'
import { configRequest } from '../settings.ts'

export const searchCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const filters = filtersOf(input, ['keyword', 'capability', 'language', 'platform'])
  const query = input.positionals.join(' ')
  const { hits, total } = await searchPackages(
    world,
    configRequest(input),
    query,
    filters,
    numberOf(input, 'limit', 1_000_000) ?? USUAL_LIMIT,
    networkOptions(input),
    converse(input, context),
  )
  if (input.flag('json')) printer.json({ results: hits, total })
  else if (hits.length === 0) printer.note(nothingFits(query, filters))
  else {
    printer.table(
      hits.map(({ name, registry, description }) => [name, registry, description]),
      ['NAME', 'REGISTRY', 'DESCRIPTION'],
    )
    if (total > hits.length) printer.note(`The best ${hits.length} of ${total}; --limit N shows more.`)
  }
  return 0
}

/** More than anyone reads: who wants all of them asks for all. */
const USUAL_LIMIT = 50

function nothingFits(query: string, filters: Filters): string {
  const words = filterWords(filters)
  if (query.trim() !== '') words.unshift(JSON.stringify(query))
  return words.length === 0 ? 'The registries list nothing.' : `Nothing fits ${words.join(' ')}.`
}
