import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  CallResult,
  Capsule,
  CapsuleLogLine,
  CapsuleStatus,
  Command,
  Json,
  JsonObject,
  JsonSchema,
  Log,
  LogLevel,
  OfferedTool,
  Progress,
  Tool,
} from '../src/model/index.ts'
import { createNodeStarter } from '../src/platform/index.ts'
import { type Capsules, createCallTool, createCapsules } from '../src/runtime/index.ts'

export { mentioning, newTag, until } from '../src/platform/process/starter.contract.ts'

const FIXTURES = fileURLToPath(new URL('fixtures/capsules/', import.meta.url))

type Settings = Partial<Omit<Capsule, 'command'>> & { readonly command?: Partial<Command> }

interface CallSettings {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly progress?: (progress: Progress) => void
  readonly outputSchema?: JsonSchema
}

/** Capsules with real processes, for one test. */
export interface Kit {
  readonly capsules: Capsules
  /** A folder of its own. */
  readonly folder: string
  readonly outputBytes: number
  readonly logged: readonly (readonly [LogLevel, string])[]
  readonly offered: readonly (readonly OfferedTool[])[]
  /** `capsule.mjs` with these words. */
  capsule(words?: readonly string[], settings?: Settings): Capsule
  /** A fixture without words. */
  script(file: string, settings?: Settings): Capsule
  call(
    capsule: Capsule,
    args: JsonObject,
    settings?: CallSettings & { toolName?: string },
  ): Promise<CallResult>
  /** What the call returns, which is no text. */
  value(capsule: Capsule, args: JsonObject): Promise<Json>
  /** Of the capsule named last. */
  status(): CapsuleStatus
  said(source: CapsuleLogLine['source']): string[]
  close(): Promise<void>
}

export function openKit(): Kit {
  const folder = mkdtempSync(join(tmpdir(), 'capsules-'))
  const starter = createNodeStarter()
  const outputBytes = 1024 * 1024
  const environment = () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', SECRET: 'inherited' })
  const logged: [LogLevel, string][] = []
  const offered: (readonly OfferedTool[])[] = []
  const capsules = createCapsules({
    starter,
    environment,
    log: createTestLog((level, text) => logged.push([level, text])),
    restart: () => ({ baseMs: 20, capMs: 10_000, limit: 5, windowMs: 60_000 }),
    outputBytes: () => outputBytes,
    onTools: (_, tools) => offered.push(tools),
    random: () => 0.5,
  })
  const callTool = createCallTool({
    starter,
    capsules,
    environment,
    settings: () => ({ timeoutMs: 30_000, concurrency: 1000, outputBytes }),
  })

  const script: Kit['script'] = (file, { command, ...settings } = {}) => ({
    name: 'sample',
    version: '1.0.0',
    identity: 'first',
    handshake: 'orla',
    startupTimeoutMs: 30_000,
    start: 'lazy',
    restart: {},
    command: {
      file: join(FIXTURES, file),
      args: [],
      cwd: FIXTURES,
      script: join(FIXTURES, file),
      ...command,
    },
    ...settings,
  })
  const call: Kit['call'] = (capsule, args, settings = {}) => {
    const {
      signal = new AbortController().signal,
      timeoutMs,
      progress,
      outputSchema,
      toolName = 'inner',
    } = settings
    const tool: Tool = {
      name: capsule.name,
      version: capsule.version,
      description: '',
      origin: { kind: 'loose', file: capsule.command.file },
      run: { kind: 'capsule', capsule, toolName, ...(timeoutMs && { timeoutMs }) },
      digest: capsule.identity,
      ...(outputSchema && { outputSchema }),
    }
    return callTool({
      catalog: { tools: new Map([[tool.name, tool]]), problems: [] },
      name: tool.name,
      arguments: args,
      signal,
      caller: { connection: 'test', requestId: 1, transport: 'cli', era: 'none' },
      ...(progress && { progress }),
    })
  }

  return {
    capsules,
    folder,
    outputBytes,
    logged,
    offered,
    script,
    call,
    capsule: (words = [], { command, ...settings } = {}) =>
      script('capsule.mjs', {
        ...settings,
        command: { file: process.execPath, args: [join(FIXTURES, 'capsule.mjs'), ...words], ...command },
      }),
    async value(capsule, args) {
      const result = await call(capsule, args)
      if (result.output.kind === 'value') return result.output.value
      if (result.output.kind === 'streams') return result.output.stdout.text
      throw new Error(JSON.stringify(result))
    },
    status: () => capsules.list().at(-1) ?? NOT_KEPT,
    said: (source) =>
      capsules
        .logs('sample')
        .filter((line) => line.source === source)
        .map(({ text }) => text),
    async close() {
      await capsules.close()
      await starter.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A capsule is kept from its first call on. */
const NOT_KEPT: CapsuleStatus = {
  name: '',
  version: '',
  state: 'CREATED',
  pid: null,
  since: '',
  crashes: 0,
  starts: 0,
  calls: 0,
  running: 0,
  waiting: 0,
  last_error: null,
  tools: [],
}

function createTestLog(write: (level: LogLevel, text: string) => void): Log {
  return {
    debug: (text) => write('debug', text),
    info: (text) => write('info', text),
    warn: (text) => write('warn', text),
    error: (text) => write('error', text),
    fatal: (text) => write('fatal', text),
  }
}
