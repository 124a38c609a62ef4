import { createHmac, randomBytes } from 'node:crypto'
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

/**
 * Writes down who called what: one line for each call, when it has ended or was refused. Where that is required, also
 * one before it runs, so that nothing runs unrecorded even if Orla is killed.
 */
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

interface Asked {
  readonly call: string
  readonly name: string
  readonly tool: Tool | undefined
  readonly arguments: JsonObject
  readonly caller: Caller
  readonly chain?: string | undefined
}

type Outcome = 'ok' | 'failed' | 'denied'

const LONGEST_NAME = 200

/** Undefined when nobody wants one. */
export function openAudit(parts: AuditParts): Audit | undefined {
  const { config, home, log, hide, grantOf } = parts
  if (config.file === null) return undefined
  const file = openAppendFile(config.file)
  const key = config.arguments === 'hash' ? ownKey(join(home, 'audit.key')) : undefined
  /** Lines that could not be written. */
  let lost = 0

  /** Whether the line is in the file now. After one that is not, the file is opened again each time. */
  function write(record: JsonObject): boolean {
    try {
      if (lost > 0) {
        file.reopen()
        file.append(jsonLine({ time: new Date().toISOString(), event: 'resumed', lost }))
        log.info('calls are recorded again', { file: config.file, lost })
        lost = 0
      }
      file.append(hide(jsonLine(record)))
      return true
    } catch (error) {
      if (lost++ === 0)
        log.error('calls are not recorded: the audit file cannot be written', {
          file: config.file,
          error: (error as Error).message,
          required: config.required,
        })
      return false
    }
  }

  function describe({ name, tool, caller, chain, arguments: args }: Asked): JsonObject {
    const { connection, requestId, transport, era, principal, remote } = caller
    return {
      tool: name.slice(0, LONGEST_NAME),
      ...(chain !== undefined && { chain }),
      version: tool?.version ?? null,
      digest: (tool && digestOf(tool)) ?? null,
      grant: (tool && grantOf?.(tool)) ?? null,
      principal: principal ?? null,
      connection,
      transport,
      era,
      remote: remote ?? null,
      request_id: typeof requestId === 'string' ? requestId.slice(0, LONGEST_NAME) : requestId,
      ...(key
        ? { arguments_hmac: createHmac('sha256', key).update(canonical(args)).digest('hex') }
        : { arguments: args }),
    }
  }

  function end(asked: Asked, outcome: Outcome, reason: string | null, ms: number): void {
    const time = new Date().toISOString()
    const measured = Math.round(ms * 100) / 100
    write({ time, event: 'call', call: asked.call, outcome, reason, ms: measured, ...describe(asked) })
  }

  /** Where calls must be recorded, nothing runs before it is known that this one can be. */
  function announce(asked: Asked): void {
    if (!config.required) return
    const time = new Date().toISOString()
    if (write({ time, event: 'asked', call: asked.call, ...describe(asked) })) return
    const name = asked.name.slice(0, LONGEST_NAME)
    throw new OrlaError('E_AUDIT', `\`${name}\` is not called: calls cannot be recorded`, {
      hint: 'whoever runs this server must see to its audit file',
    })
  }

  return {
    audited: (callTool) => async (call) => {
      const { name, arguments: args, caller, catalog, chain } = call
      const asked = { call: newId(), name, tool: catalog.tools.get(name), arguments: args, caller, chain }
      announce(asked)
      const begun = performance.now()
      let result: CallResult
      try {
        result = await callTool(call)
      } catch (error) {
        const reason = error instanceof OrlaError ? (REASONS[error.code] ?? error.code) : 'bug'
        end(asked, 'failed', reason, performance.now() - begun)
        throw error
      }
      const outcome = result.ok ? 'ok' : result.reason === 'denied' ? 'denied' : 'failed'
      end(asked, outcome, result.ok ? null : result.reason, performance.now() - begun)
      return result
    },
    refused: ({ name, arguments: args, caller, reason }, catalog) =>
      end(
        { call: newId(), name, tool: catalog.tools.get(name), arguments: args, caller },
        'denied',
        reason,
        0,
      ),
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

/** Tells what was asked and how it ended as one call. */
function newId(): string {
  return randomBytes(8).toString('hex')
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
