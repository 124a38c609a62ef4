import type { Readable, Writable } from 'node:stream'
import type { CallTool, Catalog, Limits, Log } from '../model/index.ts'

/** What the server needs from the rest of the house. */
export interface ServerDeps {
  /** The newest, always. */
  readonly catalog: () => Catalog
  readonly callTool: CallTool
  readonly log: Log
  /** Of orla itself. */
  readonly version: string
  readonly instructions?: () => string
  readonly nameStyle: () => NameStyle
}

/** `safe`: dots in tool names are underscores on the wire. */
export type NameStyle = 'raw' | 'safe'

export interface HttpSettings {
  readonly host: string
  readonly port: number
  readonly limits: Limits
  readonly token: string | null
  /** Serve another address than loopback without a token. */
  readonly insecure: boolean
  /** How long a client may take for the headers of a request. */
  readonly headersMs?: number
  /** How long it may take for the body, and for reading what it was sent. */
  readonly bodyMs?: number
}

export interface Listening {
  readonly url: string
  readonly port: number
  /** Tells every client that listens, in both eras. */
  toolsChanged(): void
  /** No new connections and requests; calls in flight go on. */
  stopAccepting(): void
  /** Resolves when every request in flight has its answer on the wire. Standing streams do not count. */
  idle(): Promise<void>
  /** Ends sessions and streams, cancels what is in flight; resolves when the sockets are gone. */
  close(): Promise<void>
  stats(): { readonly sessions: number; readonly connections: number; readonly calls: number }
}

export interface StdioStreams {
  readonly stdin: Readable
  readonly stdout: Writable
}

export interface StdioSettings {
  /** Bytes of one message; a longer one ends the connection. */
  readonly messageBytes?: number
}

export interface StdioServer {
  /** The client closed its end, vanished, or `close` was called; calls in flight were aborted. */
  readonly ended: Promise<void>
  toolsChanged(): void
  /** Resolves when every call in flight has its answer on the wire. */
  idle(): Promise<void>
  close(): Promise<void>
}
