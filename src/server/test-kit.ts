import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { CallResult, CallTool, Catalog, FailureReason, Limits, Log, Tool } from '../model/index.ts'
import { NO_TEXT, OrlaError } from '../model/index.ts'
import type { EdgeChoice, HttpSettings, NameStyle, ServerDeps } from './contract.ts'

/** A tool of which only the outside matters. */
export function fakeTool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    version: '0.0.0',
    description: `Runs ${name}`,
    origin: { kind: 'loose', file: `/tools/${name}` },
    run: {
      kind: 'spawn',
      command: { file: `/tools/${name}`, args: [], cwd: '/', script: `/tools/${name}` },
    },
    digest: name,
    ...more,
  }
}

export function fakeCatalog(...tools: readonly (Tool | string)[]): Catalog {
  const all = tools.map((tool) => (typeof tool === 'string' ? fakeTool(tool) : tool))
  return { tools: new Map(all.map((tool) => [tool.name, tool])), problems: [] }
}

export function printed(stdout: string, stderr = '', exitCode = 0): CallResult {
  const text = (value: string) => ({
    text: value,
    encoding: 'utf8' as const,
    bytes: Buffer.byteLength(value),
  })
  const output = {
    kind: 'streams' as const,
    stdout: text(stdout),
    stderr: text(stderr),
    exitCode,
    signal: null,
  }
  if (exitCode === 0) return { ok: true, output, ms: 1 }
  return { ok: false, reason: 'exit', message: `exited with ${exitCode}`, output, ms: 1 }
}

export function failed(reason: FailureReason, message: string): CallResult {
  return {
    ok: false,
    reason,
    message,
    output: { kind: 'streams', stdout: NO_TEXT, stderr: NO_TEXT, exitCode: null, signal: null },
    ms: 1,
  }
}

export interface LogRecord {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

/** Deps whose catalog can be exchanged, and everything they logged. */
export interface FakeDeps extends ServerDeps {
  current: Catalog
  style: NameStyle
  readonly records: LogRecord[]
}

export function fakeDeps(catalog: Catalog, behave: CallTool): FakeDeps {
  const records: LogRecord[] = []
  const write =
    (level: string) =>
    (msg: string, fields = {}) =>
      void records.push({ level, msg, ...fields })
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  }
  const deps: FakeDeps = {
    current: catalog,
    style: 'raw',
    records,
    log,
    version: '1.2.3',
    catalog: () => deps.current,
    nameStyle: () => deps.style,
    callTool: async (call) => {
      if (!call.catalog.tools.has(call.name))
        throw new OrlaError('E_TOOL_NOT_FOUND', `There is no tool ${call.name}`, {
          hint: 'tools/list names them',
        })
      return behave(call)
    },
  }
  return deps
}

/** What is promised about hot requests is promised whoever answers them. */
export const EDGES: readonly EdgeChoice[] = ['own', 'sdk']

export const LIMITS: Limits = {
  concurrency: 8,
  outputBytes: 10 * 1024 * 1024,
  bodyBytes: 4 * 1024 * 1024,
  sessions: 4_000,
  sessionIdleMs: 60_000,
  connections: 256,
  clients: { rate: null, concurrency: null },
  warmProcesses: 0,
  warmBytes: 0,
}

export function settings(more: Partial<HttpSettings> = {}): HttpSettings {
  return { host: '127.0.0.1', port: 0, limits: LIMITS, token: null, insecure: false, ...more }
}

/** Waits for a condition, checking on every turn of the loop, until a deadline. */
export async function until(condition: () => boolean, what: string, ms = 20_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Waited ${ms} ms for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A connection that sends exactly these bytes. */
export interface Raw {
  readonly socket: Socket
  readonly received: () => string
  readonly closed: Promise<void>
}

export async function raw(port: number, text: string, host = '127.0.0.1'): Promise<Raw> {
  const socket = connect({ port, host })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  socket.write(text)
  return { socket, received: () => received, closed }
}

/** Sends bytes, returns everything the server says until it has answered once. */
export async function ask(port: number, text: string): Promise<{ status: number; text: string }> {
  const { socket, received, closed } = await raw(port, text)
  const answered = new Promise<void>((resolve) => {
    const look = () => isAnswer(received(), text.startsWith('HEAD ')) && resolve()
    socket.on('data', look)
    look()
  })
  await Promise.race([answered, closed])
  socket.destroy()
  return { status: Number(/HTTP\/1\.1 (?!100)(\d{3})/.exec(received())?.[1]), text: received() }
}

function isAnswer(text: string, headOnly: boolean): boolean {
  const start = text.search(/HTTP\/1\.1 (?!100)\d{3}/)
  const end = text.indexOf('\r\n\r\n', start)
  if (start === -1 || end === -1) return false
  const head = text.slice(start, end)
  const length = /content-length: (\d+)/i.exec(head)?.[1] ?? (/chunked/i.test(head) ? 1 : 0)
  return headOnly || text.length - end - 4 >= Number(length)
}
