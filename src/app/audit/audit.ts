import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import {
  type AuditConfig,
  type Caller,
  type CallResult,
  type CallTool,
  type Catalog,
  type Json,
  type JsonObject,
  jsonLine,
  type Log,
  OrlaError,
  type Tool,
} from '../../model/index.ts'
import { openAppendFile, ownKey } from '../../platform/index.ts'
import type { RefusedCall } from '../../server/index.ts'

/** Writes down who called what: one line for each call, when it has ended or was refused. */
export interface Audit {
  audited(callTool: CallTool): CallTool
  /** A call that never came that far. */
  refused(call: RefusedCall, catalog: Catalog): void
  reopen(): void
  close(): void
}

export interface AuditParts {
  readonly config: AuditConfig
  readonly home: string
  readonly log: Log
  /** Takes secrets out of a line. */
  readonly hide: (text: string) => string
  /** By which grant a tool may do what it does. */
  readonly grantOf?: (tool: Tool) => string | undefined
}

interface Ended {
  readonly name: string
  readonly tool: Tool | undefined
  readonly arguments: JsonObject
  readonly caller: Caller
  readonly outcome: 'ok' | 'failed' | 'denied'
  readonly reason: string | null
  readonly ms: number
}

const LONGEST_NAME = 200

/** Undefined when nobody wants one. */
export function openAudit(parts: AuditParts): Audit | undefined {
  const { config, home, log, hide, grantOf } = parts
  if (config.file === null) return undefined
  const file = openAppendFile(config.file)
  const key = config.arguments === 'hash' ? ownKey(join(home, 'audit.key')) : undefined
  /** Lines that could not be written. */
  let lost = 0

  function write(record: JsonObject): void {
    try {
      if (lost > 0) file.append(jsonLine({ time: new Date().toISOString(), event: 'resumed', lost }))
      lost = 0
      file.append(hide(jsonLine(record)))
    } catch (error) {
      if (lost++ === 0)
        log.error('calls are not recorded: the audit file cannot be written', {
          file: config.file,
          error: (error as Error).message,
          required: config.required,
        })
    }
  }

  /** Whether a line can be written again after one could not. */
  function recovers(): boolean {
    if (lost === 0) return true
    try {
      file.reopen()
      file.append(jsonLine({ time: new Date().toISOString(), event: 'resumed', lost }))
      log.info('calls are recorded again', { file: config.file, lost })
      lost = 0
      return true
    } catch {
      return false
    }
  }

  function end(call: Ended): void {
    const { name, tool, caller, outcome, reason, ms } = call
    const { connection, requestId, transport, era, principal, remote } = caller
    write({
      time: new Date().toISOString(),
      event: 'call',
      outcome,
      reason,
      tool: name.slice(0, LONGEST_NAME),
      version: tool?.version ?? null,
      digest: (tool && digestOf(tool)) ?? null,
      grant: (tool && grantOf?.(tool)) ?? null,
      principal: principal ?? null,
      connection,
      transport,
      era,
      remote: remote ?? null,
      request_id: typeof requestId === 'string' ? requestId.slice(0, LONGEST_NAME) : requestId,
      ms: Math.round(ms * 100) / 100,
      ...(key
        ? { arguments_hmac: createHmac('sha256', key).update(canonical(call.arguments)).digest('hex') }
        : { arguments: call.arguments }),
    })
  }

  return {
    audited: (callTool) => async (call) => {
      const { name, arguments: args, caller, catalog } = call
      const begun = performance.now()
      const told = (outcome: Ended['outcome'], reason: string | null) => {
        const ms = performance.now() - begun
        end({ name, tool: catalog.tools.get(name), arguments: args, caller, outcome, reason, ms })
      }
      if (config.required && !recovers()) {
        lost++
        throw new OrlaError(
          'E_AUDIT',
          `\`${name.slice(0, LONGEST_NAME)}\` is not called: calls cannot be recorded`,
          {
            hint: 'whoever runs this server must see to its audit file',
          },
        )
      }
      let result: CallResult
      try {
        result = await callTool(call)
      } catch (error) {
        told('failed', error instanceof OrlaError ? (REASONS[error.code] ?? error.code) : 'bug')
        throw error
      }
      if (result.ok) told('ok', null)
      else told(result.reason === 'denied' ? 'denied' : 'failed', result.reason)
      return result
    },
    refused: ({ name, arguments: args, caller, reason }, catalog) =>
      end({ name, tool: catalog.tools.get(name), arguments: args, caller, outcome: 'denied', reason, ms: 0 }),
    reopen() {
      try {
        file.reopen()
      } catch (error) {
        log.error('cannot open the audit file again', { file: config.file, error: (error as Error).message })
      }
    },
    close: () => file.close(),
  }
}

const REASONS: Readonly<Record<string, string>> = { E_TOOL_NOT_FOUND: 'not_found' }

/** Of what was installed if it was, else what tells this tool from another state of it. */
function digestOf({ origin, digest }: Tool): string {
  return (origin.kind === 'package' ? origin.package.receipt?.digest : undefined) ?? digest
}

/** The same text for the same value, in whatever order its keys came. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
