import { isJsonObject, type Json, type JsonObject, OrlaError } from '../../model/index.ts'
import { readLinesIfThere } from '../../platform/index.ts'
import { matcherOf } from '../../server/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import type { World } from '../world.ts'

export interface AuditQuery {
  /** A moment, or a time before now such as `2h`. */
  readonly since?: string
  /** Name of a tool, with `*` for any characters. */
  readonly tool?: string
  /** The newest so many. */
  readonly limit: number
}

export interface AuditReading {
  readonly file: string
  /** The oldest first. */
  readonly records: readonly JsonObject[]
  /** Lines that are no records. */
  readonly broken: number
}

export async function readAudit(
  world: World,
  request: ConfigRequest,
  query: AuditQuery,
): Promise<AuditReading> {
  const { config } = await loadConfig(world, request)
  const { file } = config.audit
  if (file === null)
    throw new OrlaError('E_NOT_FOUND', 'no audit file is configured', {
      hint: 'audit: FILE in orla.yaml has every call recorded there',
    })
  const since = query.since === undefined ? undefined : momentOf(query.since)
  const isWanted = query.tool === undefined ? () => true : matcherOf([query.tool])
  const records: JsonObject[] = []
  /** Calls of which only the beginning was written: they run, or Orla was killed. */
  const open = new Map<Json | undefined, JsonObject>()
  let broken = 0
  const isThere = await readLinesIfThere(file, (line) => {
    if (line === '') return
    const record = parse(line)
    if (!record) broken++
    else if (record.event === 'asked') open.set(record.call, record)
    else if (fits(record, since, isWanted)) records.push(record)
    if (record?.event === 'call') open.delete(record.call)
    if (records.length > 2 * query.limit) records.splice(0, records.length - query.limit)
  })
  if (!isThere)
    throw new OrlaError('E_NOT_FOUND', `there is no file ${file} yet`, {
      hint: 'it is made when the server starts',
    })
  records.push(...[...open.values()].filter((record) => fits(record, since, isWanted)))
  return { file, records: records.slice(-query.limit), broken }
}

function fits(record: JsonObject, since: Date | undefined, isWanted: (tool: string) => boolean): boolean {
  const { time, tool } = record
  if (since && !(typeof time === 'string' && new Date(time) >= since)) return false
  return typeof tool === 'string' ? isWanted(tool) : isWanted('')
}

function parse(line: string): JsonObject | undefined {
  try {
    const record: Json = JSON.parse(line)
    return isJsonObject(record) ? record : undefined
  } catch {
    return undefined
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function momentOf(written: string): Date {
  const [, amount, unit = ''] = /^(\d+)([smhd])$/.exec(written) ?? []
  const at =
    amount === undefined ? new Date(written) : new Date(Date.now() - Number(amount) * (UNITS[unit] ?? 0))
  if (!Number.isNaN(at.getTime())) return at
  throw new OrlaError('E_USAGE', `--since ${JSON.stringify(written)} is no time`, {
    hint: 'for example 30m, 2h, 7d, 2026-11-01 or 2026-11-01T12:00:00Z',
  })
}
