import type { ServerDeps, StdioServer, StdioSettings, StdioStreams } from './contract.ts'

/** Serves MCP to the one client at the other end of the pipes. The SDK is loaded here, not before. */
export function serveStdio(
  deps: ServerDeps,
  streams: StdioStreams,
  settings: StdioSettings = {},
): StdioServer {
  let opened: StdioServer | undefined
  const connection = import('./stdio-connection.ts').then(({ connectStdio }) => {
    opened = connectStdio(deps, streams, settings)
    return opened
  })

  function tell(announce: (live: StdioServer) => void): void {
    connection.then(announce).catch(() => {}) // Without a connection there is nobody to tell.
  }

  return {
    inputEnded: connection.then(({ inputEnded }) => inputEnded),
    ended: connection.then(({ ended }) => ended),
    toolsChanged: () => tell((live) => live.toolsChanged()),
    documentsChanged: () => tell((live) => live.documentsChanged()),
    promptsChanged: () => tell((live) => live.promptsChanged()),
    held: () => opened?.held() ?? [],
    idle: () => connection.then((live) => live.idle()),
    close: () => connection.then((live) => live.close()),
  }
}
