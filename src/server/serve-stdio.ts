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
  return {
    ended: connection.then(({ ended }) => ended),
    toolsChanged: () => void connection.then((live) => live.toolsChanged()).catch(() => {}),
    held: () => opened?.held() ?? [],
    idle: () => connection.then((live) => live.idle()),
    close: () => connection.then((live) => live.close()),
  }
}
