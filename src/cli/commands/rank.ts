import { type Ranking, rankTools } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import type { Printer } from '../printer.ts'
import { mainReasons, shortScore } from '../reasons.ts'
import { configRequest } from '../settings.ts'
import { shownVersion } from '../shown-version.ts'

export const rankCommand: Handler = async (input, { world, printer, program }) => {
  const [capability] = input.positionals
  const ranking = await rankTools(world, configRequest(input), capability)
  if (input.flag('json')) printer.json(rankingJson(ranking))
  else if (ranking.tools.length > 0) print(printer, ranking)
  else for (const line of nothing(capability, ranking.close, program)) printer.note(line)
  return 0
}

function rankingJson({ tools }: Ranking) {
  return {
    tools: tools.map(({ name, version, score, parts, capabilities, implementations }, at) => ({
      rank: at + 1,
      tool: name,
      version,
      score,
      capabilities,
      parts,
      implementations: implementations.map(({ one, coolingUntil, isRetry, score: own, explain }, place) => ({
        rank: place + 1,
        implementation: one,
        score: own,
        cooling_until: coolingUntil === null ? null : new Date(coolingUntil).toISOString(),
        retried: isRetry,
        parts: explain(),
      })),
    })),
  }
}

function print(printer: Printer, { tools }: Ranking): void {
  const rows = tools.flatMap(({ name, version, score, parts, implementations }, at) => [
    [String(at + 1), name, shownVersion(version), shortScore(score), mainReasons(parts)],
    ...implementations.map(({ one, coolingUntil, score: own, explain }) => [
      '',
      `  ${one}`,
      '',
      shortScore(own),
      coolingUntil === null ? mainReasons(explain()) : `${mainReasons(explain())}, waits`,
    ]),
  ])
  printer.table(rows, ['RANK', 'TOOL', 'VERSION', 'SCORE', 'WHY'])
}

function nothing(capability: string | undefined, close: string | undefined, program: string): string[] {
  if (capability === undefined) return [`There are no tools yet. \`${program} init\` makes one.`]
  const words = oneLine(JSON.stringify(capability))
  if (close !== undefined)
    return [`No installed tool has the capability ${words}. Did you mean ${oneLine(JSON.stringify(close))}?`]
  return [
    `No installed tool has the capability ${words}.`,
    `\`${program} recommend ${words}\` looks in names and descriptions, and in the registries.`,
  ]
}
