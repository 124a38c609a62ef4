import { OrlaError } from '../model/index.ts'
import { wantsCredentials } from './access/credentials.ts'
import type { HttpSettings, Listening, ServerDeps } from './contract.ts'
import { isLoopback } from './hosts.ts'

/** Serves MCP over HTTP until closed. The SDK is loaded here, not before. */
export async function listenHttp(deps: ServerDeps, settings: HttpSettings): Promise<Listening> {
  if (!isLoopback(settings.host) && !wantsCredentials(settings) && !settings.insecure)
    throw new OrlaError('E_EXPOSED', `Serving ${settings.host} would let others run tools on this machine`, {
      hint: 'set auth.token or auth.issuer, or pass --insecure if the network is yours alone, or stay on 127.0.0.1',
    })
  const { startHttp } = await import('./http-server.ts')
  return startHttp(deps, settings)
}
