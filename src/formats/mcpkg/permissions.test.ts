import { describe, expect, it } from 'vitest'
import type { McpkgManifest } from '../../model/index.ts'
import { parsePermission } from '../permission.ts'
import { mcpkgPermissions } from './permissions.ts'

const http = (url: string) => ({ type: 'http', method: 'POST', url }) as const
const LOCAL = { type: 'local', command: 'node ./a.js', words: ['node', './a.js'] } as const

function words(more: Partial<McpkgManifest>): readonly string[] | null {
  return mcpkgPermissions({
    toolId: 'acme.demo.echo',
    name: 'Echo',
    version: '1.0.0',
    description: 'Says it again',
    capabilities: [],
    inputSchema: {},
    outputSchema: {},
    auth: { type: 'none', scopes: [], env: ['KEY', 'OTHER'], hints: {} },
    tests: [],
    examples: [],
    implementations: [],
    permissions: null,
    meta: { tags: [] },
    ...more,
  })
}

describe('what a package asks for', () => {
  it.each<[string, string]>([
    ['https://Example.com/a/{id}', 'network:example.com'],
    ['https://example.com:8443/', 'network:example.com:8443'],
    ['http://example.com/', 'network:example.com:80'],
    ['http://127.0.0.1:8080/', 'network:127.0.0.1:8080'],
    ['http://[::1]:8080/', 'network:[::1]:8080'],
  ])('Q90: %s means %s', (url, word) => {
    expect(words({ endpoint: http(url) })).toEqual([word])
    expect(parsePermission(word)).toMatchObject({ kind: 'network' })
  })

  it('Q90: a secret that is sent is named', () => {
    const auth = { type: 'bearer', scopes: [], env: ['KEY', 'OTHER'], hints: {} } as const
    expect(words({ endpoint: http('https://a.example/'), auth })).toEqual(['network:a.example', 'secret:KEY'])
    const client = { ...auth, type: 'oauth2', tokenUrl: 'https://b.example/token' } as const
    expect(words({ endpoint: http('https://a.example/'), auth: client })).toEqual([
      'network:a.example',
      'network:b.example',
      'secret:KEY',
      'secret:OTHER',
    ])
  })

  it('Q90: what it declares comes first, and nothing twice', () => {
    const permissions = ['filesystem:read:./data', 'network:a.example']
    expect(words({ endpoint: http('https://a.example/'), permissions })).toEqual(permissions)
    expect(words({ endpoint: LOCAL, permissions })).toEqual(permissions)
    expect(words({ endpoint: LOCAL })).toBeNull()
  })

  it('Q90: implementations count too; beside a chain nothing of it runs', () => {
    const requirements = { minVersions: {}, packages: [], commands: [], unknown: [] }
    const implementations = [{ id: 'a', platforms: [], endpoint: http('https://a.example/'), requirements }]
    expect(words({ implementations })).toEqual(['network:a.example'])
    expect(words({ implementations, chain: [] })).toEqual([])
  })
})
