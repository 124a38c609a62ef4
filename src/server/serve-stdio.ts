import { type CatalogView, keptView, newestView } from './catalog-view.ts'
import type { ListName, ServerDeps, StdioServer, StdioSettings, StdioStreams } from './contract.ts'
import { createStdioEdge } from './edge/stdio-edge.ts'
import { createPending } from './pending.ts'
import { createSdkSide } from './sdk-side.ts'
import { createStdioPipe } from './stdio-pipe.ts'

const MESSAGE_BYTES = 10 * 1024 * 1024

/** Serves MCP to the one client at the other end of the pipes. */
export function serveStdio(
  deps: ServerDeps,
  { stdin, stdout }: StdioStreams,
  { messageBytes = MESSAGE_BYTES, edge: by = 'own', ready }: StdioSettings = {},
): StdioServer {
  const pending = createPending()
  const onError = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    deps.log.warn('protocol error', { connection: 'stdio', error: message })
  }
  const pipe = createStdioPipe({
    stdin,
    stdout,
    messageBytes,
    ready,
    pending,
    onMessage: (message) => {
      if (!edge?.serve(message)) sdk.hand(message)
    },
    onError,
  })
  const sdk = createSdkSide({
    deps,
    pipe,
    pending,
    viewOf: (era) => (era === 'legacy' ? keptByClient() : newestView(deps.catalog)),
    agreement: () => edge?.agreement ?? [],
    onError,
    onServer: (era, view) => edge?.onServer(era, view),
    onReceived: (message) => edge?.onHanded(message),
    onAnswered: (id) => edge?.onAnswered(id),
  })
  const edge =
    by === 'own'
      ? createStdioEdge({
          deps,
          pending,
          writer: pipe.writer,
          view: keptByClient,
          sdkIsAsked: () => sdk.isAsked(),
          isSoundEnvelope: sdk.isSoundEnvelope,
        })
      : undefined
  /** Of a legacy client, whoever answers it. */
  let kept: CatalogView | undefined

  function keptByClient(): CatalogView {
    kept ??= keptView(deps.catalog, deps.onHoldersChanged)
    return kept
  }

  function announce(list: ListName): void {
    if (!edge?.announce(list)) sdk.announce(list)
  }

  void pipe.inputEnded.then(() => pending.idle()).then(() => sdk.close())
  void pipe.ended.then(() => {
    edge?.close()
    const held = kept?.held()
    kept = undefined
    if (held) deps.onHoldersChanged?.()
  })

  return {
    inputEnded: pipe.inputEnded,
    ended: pipe.ended,
    looked: pipe.looked,
    toolsChanged: () => announce('tools'),
    documentsChanged: () => announce('resources'),
    promptsChanged: () => announce('prompts'),
    held() {
      const catalog = kept?.held()
      return catalog ? [catalog] : []
    },
    idle: () => pending.idle(),
    close: () => sdk.close(),
  }
}
