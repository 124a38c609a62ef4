import { headerValues, type RequestHead } from '../guards.ts'
import { MCP_PATH } from '../route.ts'
import type { OAuthSettings } from './credentials.ts'

/** Where RFC 9728 has clients look, for the origin and for the endpoint. */
const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Whether someone asks for the metadata, before it is known who. */
export function isMetadata({ method, url }: RequestHead): boolean {
  return method === 'GET' && (url === METADATA_PATH || url === METADATA_PATH + MCP_PATH)
}

/** What a refused client is told in `WWW-Authenticate`. The parts never hold a quote. */
export function challenge(
  oauth: OAuthSettings | undefined,
  scheme: string,
  head: RequestHead,
  more: Readonly<Record<string, string>>,
): string {
  const parts = {
    realm: 'orla',
    ...more,
    ...(oauth && { resource_metadata: metadataUrl(resourceOf(oauth, scheme, head)) }),
  }
  return `Bearer ${Object.entries(parts)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}

/** RFC 9728: for which server, and where tokens for it are given out. */
export function resourceMetadata(oauth: OAuthSettings, scheme: string, head: RequestHead): object {
  const { issuer, scopes } = oauth
  return {
    resource: resourceOf(oauth, scheme, head),
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes && { scopes_supported: Object.keys(scopes) }),
    resource_name: 'Orla',
  }
}

/** The guards let only names through that are this server's. */
function resourceOf({ resource }: OAuthSettings, scheme: string, head: RequestHead): string {
  return resource ?? `${scheme}://${headerValues(head, 'host')[0] ?? ''}${MCP_PATH}`
}

function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}`
}
