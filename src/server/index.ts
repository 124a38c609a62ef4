/**
 * MCP over stdio and HTTP, both protocol eras on each. Promises: guards before anything is read,
 * a tool's failure as a result, our own failure as an error, and a server that lives on after both.
 * Refuses to know: how a tool is found or carried out, where settings come from, when to stop.
 */
export type { Credentials, NamedToken, OAuthSettings } from './access/credentials.ts'
export { mayBeAsked } from './access/issuer-keys.ts'
export { SERVER_TOKEN } from './access/principal.ts'
export type { TlsMaterial } from './access/tls-material.ts'
export { checkTls } from './access/tls-material.ts'
export { matcherOf } from './access/tool-patterns.ts'
export type {
  Consent,
  HttpSettings,
  Listening,
  Readiness,
  RefusedCall,
  ServerDeps,
  StdioServer,
} from './contract.ts'
export { isLoopback } from './hosts.ts'
export { listenHttp, refuseExposure } from './listen-http.ts'
export { serveStdio } from './serve-stdio.ts'
