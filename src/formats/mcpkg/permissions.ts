import type { McpkgManifest } from '../../model/index.ts'
import { endpointsOf } from './check-together.ts'

/**
 * The permission words a package asks for: those it declares, and those its endpoints mean. A person accepts
 * that a secret goes to a host before it does. Null for one that only runs here and says nothing.
 */
export function mcpkgPermissions(manifest: McpkgManifest): readonly string[] | null {
  const { auth, permissions } = manifest
  const urls = endpointsOf(manifest).flatMap(({ endpoint }) =>
    endpoint.type === 'http' ? [endpoint.url] : [],
  )
  if (manifest.chain !== undefined) return permissions ?? []
  if (urls.length === 0) return permissions
  const tokenUrls = auth.type === 'oauth2' && auth.tokenUrl !== undefined ? [auth.tokenUrl] : []
  const secrets = auth.type === 'none' ? [] : auth.env.slice(0, 1 + tokenUrls.length)
  const meant = [...[...urls, ...tokenUrls].map(networkWord), ...secrets.map((name) => `secret:${name}`)]
  return [...new Set([...(permissions ?? []), ...meant])]
}

/** `network:example.com`; port 443 goes without saying. */
function networkWord(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  const number = port || (protocol === 'https:' ? '' : '80')
  return `network:${hostname}${number === '' ? '' : `:${number}`}`
}
