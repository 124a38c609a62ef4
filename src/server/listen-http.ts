import { OrlaError } from '../model/index.ts'
import { type Credentials, wantsCredentials } from './access/credentials.ts'
import type { HttpSettings, Listening, ServerDeps } from './contract.ts'
import { isLoopback } from './hosts.ts'

/** Serves MCP over HTTP until closed. The SDK is loaded here, not before. */
export async function listenHttp(deps: ServerDeps, settings: HttpSettings): Promise<Listening> {
  refuseExposure(settings.host, settings, settings.insecure)
  const { startHttp } = await import('./http-server.ts')
  return startHttp(deps, settings)
}

/** Throws where others than this machine could call without proving anything. */
export function refuseExposure(host: string, credentials: Credentials, insecure: boolean): void {
  if (isLoopback(host) || wantsCredentials(credentials) || insecure) return
  throw new OrlaError('E_EXPOSED', `Serving ${host} would let others run tools on this machine`, {
    hint: 'set auth.token or auth.issuer, or pass --insecure if the network is yours alone, or stay on 127.0.0.1',
  })
}
