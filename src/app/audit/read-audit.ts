import { isJsonObject, type Json, type JsonObject, OrlaError } from '../../model/index.ts'
import { readLinesIfThere } from '../../platform/index.ts'
import { matcherOf } from '../../server/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import type { World } from '../world.ts'

export interface AuditQuery {
  /** Milliseconds since 1970. */
  readonly since?: number
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
  const { since } = query
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

function fits(record: JsonObject, since: number | undefined, isWanted: (tool: string) => boolean): boolean {
  const { time, tool } = record
  if (since !== undefined && !(typeof time === 'string' && Date.parse(time) >= since)) return false
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
