import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio'
import { CatalogServer } from './catalog-server.ts'
import { keptView, newestView } from './catalog-view.ts'
import type { ServerDeps, StdioServer, StdioSettings, StdioStreams } from './contract.ts'
import { createPending } from './pending.ts'

const MESSAGE_BYTES = 10 * 1024 * 1024

export function connectStdio(
  deps: ServerDeps,
  { stdin, stdout }: StdioStreams,
  { messageBytes = MESSAGE_BYTES }: StdioSettings,
): StdioServer {
  const transport = new PipeTransport(stdin, stdout, messageBytes)
  let server: CatalogServer | undefined
  const pending = createPending()
  const handle = serveSdkStdio(
    ({ era }) => {
      const view = era === 'legacy' ? keptView(deps.catalog) : newestView(deps.catalog)
      server = new CatalogServer(deps, {
        connection: 'stdio',
        transport: 'stdio',
        era,
        view,
        onCallBegin: () => pending.begin(),
        onCallEnd: (id, answered) => (answered ? transport.whenSent(id, () => pending.end()) : pending.end()),
      })
      return server
    },
    {
      transport,
      onerror: (error) => deps.log.warn('protocol error', { connection: 'stdio', error: error.message }),
    },
  )
  return {
    ended: transport.ended,
    toolsChanged: () => server?.announceTools(),
    idle: () => pending.idle(),
    close: () => handle.close(),
  }
}

/** The SDK's transport, plus a word when it ended. */
class PipeTransport extends StdioServerTransport {
  readonly ended: Promise<void>
  readonly #end: () => void
  readonly #stdout: Writable
  readonly #onSent = new Map<unknown, () => void>()

  constructor(stdin: Readable, stdout: Writable, maxBufferSize: number) {
    super(stdin, stdout, { maxBufferSize })
    let end = () => {}
    this.ended = new Promise((resolve) => {
      end = resolve
    })
    this.#end = end
    this.#stdout = stdout
  }

  override async close(): Promise<void> {
    await super.close()
    this.#end()
  }

  /** The SDK waits for `drain` with listeners of its own, one set for each answer a slow client has not read. */
  override send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stdout.write(`${JSON.stringify(message)}\n`, (error) => {
        if ('id' in message && !('method' in message)) this.#sent(message.id)
        if (error) reject(error)
        else resolve()
      })
    })
  }

  /** Calls back when the answer to this request has been written, or cannot be any more. */
  whenSent(id: unknown, callback: () => void): void {
    this.#onSent.set(id, callback)
  }

  #sent(id: unknown): void {
    this.#onSent.get(id)?.()
    this.#onSent.delete(id)
  }
}
