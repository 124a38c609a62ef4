import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Json } from '../model/index.ts'
import { CatalogServer } from './catalog-server.ts'
import type { CatalogView } from './catalog-view.ts'
import type { ListName, ServerDeps } from './contract.ts'
import type { StdioPipe } from './stdio-pipe.ts'

export { isSoundEnvelope } from './edge/envelope.ts'

/** The SDK at the pipes of a stdio client. Loading this file loads the SDK. */
export interface SdkConnection {
  /** Throws when it is no message. */
  receive(message: Json): void
  /** Takes in what was agreed on without it. */
  catchUp(agreement: readonly Json[]): Promise<void>
  announce(list: ListName): void
  close(): Promise<void>
}

export interface SdkConnectionParts {
  readonly deps: ServerDeps
  readonly pipe: StdioPipe
  readonly viewOf: (era: 'modern' | 'legacy') => CatalogView
  readonly onError: (error: unknown) => void
  /** The SDK made a server of this era for the client. */
  readonly onServer: (era: 'modern' | 'legacy', view: CatalogView) => void
  /** The SDK is about to get this message. */
  readonly onReceived: (message: JSONRPCMessage) => void
  /** The SDK's answer to this request is written, or cannot be any more. */
  readonly onAnswered: (id: unknown) => void
}

export function connectSdk(parts: SdkConnectionParts): SdkConnection {
  const { deps, pipe } = parts
  let server: CatalogServer | undefined
  /** Told of the next answer instead of the client, which has it already. */
  let swallow: (() => void) | undefined

  const transport: Transport = {
    async start() {},
    send: (message) =>
      new Promise((resolve, reject) => {
        const isAnswer = 'id' in message && !('method' in message)
        if (isAnswer && swallow) return resolve(swallow())
        pipe.writer[isAnswer ? 'write' : 'note'](JSON.stringify(message), (error) => {
          if (isAnswer) parts.onAnswered(message.id)
          if (error) reject(error)
          else resolve()
        })
      }),
    async close() {
      pipe.close()
    },
  }
  void pipe.ended.then(() => transport.onclose?.())
  const handle = serveStdio(
    ({ era }) => {
      const view = parts.viewOf(era)
      parts.onServer(era, view)
      server = new CatalogServer(deps, { connection: 'stdio', transport: 'stdio', era, view })
      return server
    },
    { transport, onerror: parts.onError },
  )

  return {
    receive(message) {
      const sound = soundMessage(message)
      parts.onReceived(sound)
      transport.onmessage?.(sound)
    },
    async catchUp([greeting, ...rest]) {
      if (greeting === undefined) return
      const answered = new Promise<void>((resolve) => {
        swallow = resolve
      })
      transport.onmessage?.(parseJSONRPCMessage(greeting))
      await Promise.race([answered, pipe.ended])
      swallow = undefined
      for (const message of rest) transport.onmessage?.(parseJSONRPCMessage(message))
    },
    announce: (list) => server?.announce(list),
    close: () => handle.close(),
  }
}

/** What the SDK itself says about one that is not sound fills a page. */
function soundMessage(message: Json): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(message)
  } catch (cause) {
    throw new Error('A message is no JSON-RPC 2.0, and is passed over', { cause })
  }
}
