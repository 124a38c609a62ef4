import { serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio'
import { CatalogServer } from './catalog-server.ts'
import { type CatalogView, keptView, newestView } from './catalog-view.ts'
import type { ServerDeps, StdioServer, StdioSettings, StdioStreams } from './contract.ts'
import { createStdioEdge } from './edge/stdio-edge.ts'
import { createOpenRequests } from './open-requests.ts'
import { createPending } from './pending.ts'
import { createStdioPipe } from './stdio-pipe.ts'

const MESSAGE_BYTES = 10 * 1024 * 1024

export function connectStdio(
  deps: ServerDeps,
  { stdin, stdout }: StdioStreams,
  { messageBytes = MESSAGE_BYTES, edge: by = 'own', ready }: StdioSettings,
): StdioServer {
  const pending = createPending()
  const open = createOpenRequests(pending)
  const pipe = createStdioPipe({
    stdin,
    stdout,
    messageBytes,
    ...(ready && { ready }),
    onMessage: (message) => edge?.serve(message) ?? false,
    pending,
    onHanded: (message) => {
      edge?.onHanded(message)
      open.onHanded(message)
    },
    onAnswered: (id) => {
      edge?.onAnswered(id)
      open.onAnswered(id)
    },
  })
  const edge = by === 'own' ? createStdioEdge({ deps, pending, writer: pipe.writer }) : undefined
  let server: CatalogServer | undefined
  let view: CatalogView | undefined

  const handle = serveSdkStdio(
    ({ era }) => {
      view = era === 'legacy' ? keptView(deps.catalog, deps.onHoldersChanged) : newestView(deps.catalog)
      edge?.onServer(era, view)
      server = new CatalogServer(deps, {
        connection: 'stdio',
        transport: 'stdio',
        era,
        view,
      })
      return server
    },
    {
      transport: pipe.transport,
      onerror: (error) => deps.log.warn('protocol error', { connection: 'stdio', error: error.message }),
    },
  )
  void pipe.inputEnded.then(() => pending.idle()).then(() => handle.close())
  void pipe.ended.then(() => {
    edge?.close()
    const held = view?.held()
    view = undefined
    if (held) deps.onHoldersChanged?.()
  })

  return {
    inputEnded: pipe.inputEnded,
    ended: pipe.ended,
    toolsChanged: () => server?.announce('tools'),
    documentsChanged: () => server?.announce('resources'),
    promptsChanged: () => server?.announce('prompts'),
    held() {
      const catalog = view?.held()
      return catalog ? [catalog] : []
    },
    idle: () => pending.idle(),
    close: () => handle.close(),
  }
}
