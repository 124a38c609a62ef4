import { type Recommendation, type Recommendations, recommend } from '../../app/index.ts'
import { OrlaError, oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { type Filters, filtersOf, filterWords } from '../filters.ts'
import { networkOptions } from '../network.ts'
import { numberOf } from '../numbers.ts'
import type { Printer } from '../printer.ts'
import { mainReasons, shortScore } from '../reasons.ts'
import { configRequest } from '../settings.ts'

const USUAL_LIMIT = 10

export const recommendCommand: Handler = async (input, context) => {
  const { world, printer, program } = context
  const filters = filtersOf(input, ['capability', 'language', 'platform'])
  const query = input.positionals.join(' ')
  if (query.trim() === '' && Object.keys(filters).length === 0) {
    throw new OrlaError('E_USAGE', 'say what the tool should do', {
      hint: `\`${program} recommend "read a pdf"\`; \`${program} rank\` ranks what is installed`,
    })
  }
  const found = await recommend(
    world,
    configRequest(input),
    query,
    filters,
    numberOf(input, 'limit', 1_000_000) ?? USUAL_LIMIT,
    networkOptions(input),
    converse(input, context),
  )
  if (input.flag('json')) printer.json(recommendationsJson(found, program))
  else if (found.results.length > 0) print(printer, found, program)
  else for (const line of nothing(query, filters, found, program)) printer.note(line)
  return 0
}

function recommendationsJson({ results, total }: Recommendations, program: string) {
  return {
    results: results.map((one, at) => ({
      rank: at + 1,
      tool: one.name,
      version: one.version,
      score: one.score,
      installed: one.registry === null,
      registry: one.registry,
      install: installCommand(one, program),
      description: one.description,
      parts: one.parts,
    })),
    total,
  }
}

function installCommand({ name, registry }: Recommendation, program: string): string | null {
  return registry === null ? null : `${program} install ${name}`
}

function print(printer: Printer, { results, total }: Recommendations, program: string): void {
  const rows = results.flatMap((one, at) => [
    [String(at + 1), one.name, one.registry ?? 'installed', shortScore(one.score), mainReasons(one.parts, 2)],
  ])
  printer.table(rows, ['RANK', 'NAME', 'FROM', 'SCORE', 'WHY'])
  if (total > results.length) printer.note(`The best ${results.length} of ${total}; --limit N shows more.`)
  const first = results.find(({ registry }) => registry !== null)
  if (first !== undefined)
    printer.note(`\`${installCommand(first, program)}\` brings the best of those that are not installed.`)
}

function nothing(query: string, filters: Filters, { without }: Recommendations, program: string): string[] {
  const words = filterWords(filters)
  const asked = [...(query.trim() === '' ? [] : [oneLine(JSON.stringify(query))]), ...words].join(' ')
  if (without.length > 0) {
    const names = without.map((name) => `\`${name}\``).join(', ')
    return [`Nothing fits ${asked}. Without ${words.join(' ')}: ${names}.`]
  }
  return [
    `Nothing fits ${asked}, neither installed nor in the registries.`,
    `Try fewer or other words; \`${program} registry add NAME URL\` adds a registry, \`${program} new NAME\` makes a package.`,
  ]
}
