import { readAudit } from '../../app/index.ts'
import { type JsonObject, NO_VERSION, OrlaError } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'
import { parseSince } from '../since.ts'

const DEFAULT_LIMIT = 100

export const auditCommand: Handler = async (input, { world, printer }) => {
  const since = parseSince(input.text('since'), Date.now())
  const tool = input.text('tool')
  const { file, records, broken } = await readAudit(world, configRequest(input), {
    limit: limitOf(input.text('limit')),
    ...(since !== undefined && { since }),
    ...(tool !== undefined && { tool }),
  })
  if (input.flag('json')) {
    printer.json({ file, records, broken })
    return 0
  }
  if (records.length === 0) printer.note('No calls were recorded that fit.')
  else printer.table(records.map(rowOf), ['TIME', 'WHO', 'TOOL', 'OUTCOME', 'MS', 'FROM'])
  if (broken > 0) printer.note(`${broken} ${broken === 1 ? 'line is no record' : 'lines are no records'}.`)
  return 0
}

function limitOf(written: string | undefined): number {
  if (written === undefined) return DEFAULT_LIMIT
  if (/^[1-9]\d{0,6}$/.test(written)) return Number(written)
  throw new OrlaError('E_USAGE', `--limit ${JSON.stringify(written)} is no number of records`)
}

function rowOf(record: JsonObject): string[] {
  const { time, event, principal, tool, version, chain, outcome, reason, ms, remote, transport, lost } =
    record
  if (event === 'resumed') return [text(time), '-', '-', `${text(lost)} records were lost before`]
  if (event === 'asked') return [text(time), text(principal ?? '-'), text(tool), 'has not ended']
  const result = reason === null || reason === undefined ? text(outcome) : `${text(outcome)}: ${text(reason)}`
  const called = version === null || version === NO_VERSION ? text(tool) : `${text(tool)} ${text(version)}`
  const shown = chain === undefined ? called : `${called}, for ${text(chain)}`
  return [text(time), text(principal ?? '-'), shown, result, text(ms), text(remote ?? transport)]
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
