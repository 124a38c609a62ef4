import type { Readable, Writable } from 'node:stream'
import type { Caller, CallTool, Catalog, JsonObject, Limits, Log, Tool } from '../model/index.ts'
import type { Credentials } from './access/credentials.ts'
import type { TlsMaterial } from './access/tls-material.ts'

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
  /** What clients read about a tool, its description if absent. Asked once for each catalog. */
  readonly describe?: Describe
  /** What is known of this server by now, in the text that Prometheus reads. */
  readonly metrics?: () => string
  /** A client let go of a catalog that is not the newest, or left: `held` may have become shorter. */
  readonly onHoldersChanged?: () => void
  /** Absent: nobody is asked anything through a client. */
  readonly consent?: Consent
  /** A call that never reached `callTool`, because its sender may not make it. */
  readonly onRefusedCall?: (call: RefusedCall) => void
}

export interface RefusedCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly caller: Caller
  readonly reason: 'scope' | 'concurrency'
  readonly message: string
}

/** What a call needs that a person has to accept first. */
export interface Consent {
  /** Before every call, so cheap. */
  isNeeded(tool: Tool, catalog: Catalog): boolean
  /** undefined when nothing has to be accepted any more, or this caller is not the one to ask. */
  question(tool: Tool, catalog: Catalog, caller: Caller): Promise<Question | undefined>
  /** How long a person may take to answer. */
  readonly waitMs: number
  /** Aborted when answers come too late: the server stops. Who waits for one has a no. */
  readonly signal: AbortSignal
}

export interface Question {
  /** The same for the same question. */
  readonly id: string
  readonly text: string
  /** It can be accepted for one call. */
  readonly canBeOnce: boolean
  /** Makes it count, for the calls of this caller or from now on; what it resolves to ends the former. */
  accept(decision: 'once' | 'always', caller: Caller): Promise<() => void>
}

/** Who answers the requests that make up nearly all traffic: the server's own edge, or the SDK as for all others. */
export type EdgeChoice = 'own' | 'sdk'

export type Describe = (tool: Tool) => string

/** What clients may keep a list of. */
export type ListName = 'tools' | 'resources' | 'prompts'

/** `safe`: dots in names of tools and prompts are underscores on the wire. */
export type NameStyle = 'raw' | 'safe'

export interface HttpSettings extends Credentials {
  readonly host: string
  readonly port: number
  readonly limits: Limits
  /** HTTPS with this certificate instead of HTTP. */
  readonly tls?: TlsMaterial
  /** Names besides its own to which it answers. */
  readonly aliases?: readonly string[]
  /** Serve another address than loopback without a token. */
  readonly insecure: boolean
  /** How long a client may take for the headers of a request. */
  readonly headersMs?: number
  /** How long it may take for the body, and for reading what it was sent. */
  readonly bodyMs?: number
  readonly edge?: EdgeChoice
}

export interface Listening {
  readonly url: string
  readonly port: number
  /** Each tells every client that listens, in both eras, that a list is another. */
  toolsChanged(): void
  documentsChanged(): void
  promptsChanged(): void
  /** From now on these tokens count, and new connections see this certificate. Throws when it cannot be used. */
  renew(credentials: Credentials, tls: TlsMaterial | undefined): void
  /** The catalogs that clients keep although there is a newer one. */
  held(): readonly Catalog[]
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
  readonly edge?: EdgeChoice
  readonly ready?: Readiness
}

/** What a client wants sooner waits, in order. It is greeted at any time. */
export interface Readiness {
  /** The catalog is there: tools can be listed. */
  readonly listable: Promise<void>
  /** Calls can be carried out, and everything else be asked. */
  readonly callable: Promise<void>
}

export interface StdioServer {
  /** The client sends nothing more. What it has asked is still answered; then this ends by itself. */
  readonly inputEnded: Promise<void>
  /** Everything was answered after the last message, the client vanished, or `close` was called: calls were aborted. */
  readonly ended: Promise<void>
  /** The client has a list of tools, waits for something else, or sends nothing more. */
  readonly looked: Promise<void>
  toolsChanged(): void
  documentsChanged(): void
  promptsChanged(): void
  /** The catalog that the client keeps although there is a newer one. */
  held(): readonly Catalog[]
  /** Resolves when everything that was asked has its answer on the wire. */
  idle(): Promise<void>
  close(): Promise<void>
}
