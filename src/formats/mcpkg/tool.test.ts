import { describe, expect, it } from 'vitest'
import type { McpkgManifest } from '../../model/index.ts'
import { HARMLESS_VARIABLES } from '../harmless-variables.ts'
import { mcpkgAsManifest } from './as-manifest.ts'
import { chooseImplementations } from './choose-implementations.ts'
import { checkInstallName, isToolId } from './install-name.ts'
import { mcpkgTool } from './tool.ts'

const NO_REQUIREMENTS = { minVersions: {}, packages: [], commands: [], unknown: [] }
const HOST = {
  platform: 'linux',
  arch: 'x64',
  programVersion: (name: string) => (name === 'python3' ? 'Python 3.12.1' : undefined),
  packageVersion: () => undefined,
}
const PLACE = { folder: '/p', scope: 'project', digest: 'd' } as const

const manifest: McpkgManifest = {
  toolId: 'acme.text.say',
  name: 'Say',
  version: '1.0.0',
  description: 'Says.',
  capabilities: ['text'],
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  auth: { type: 'none', scopes: [], env: [], hints: {} },
  tests: [],
  examples: [],
  implementations: [
    {
      id: 'py',
      runtime: 'python3',
      platforms: [],
      endpoint: { type: 'local', command: 'python ./a/say.py -v', words: ['python', './a/say.py', '-v'] },
      requirements: NO_REQUIREMENTS,
    },
    {
      id: 'own',
      platforms: [],
      endpoint: { type: 'local', command: './bin//say', words: ['./bin//say'], timeoutMs: 50 },
      requirements: NO_REQUIREMENTS,
    },
  ],
  endpoint: { type: 'http', method: 'GET', url: 'https://example.com/say', timeoutMs: 70 },
  permissions: ['env:SAY_LOUD', 'filesystem:read:./data'],
  meta: { tags: ['fun'], license: 'MIT', publisher: { name: 'Acme' } },
}

describe('an .mcpkg as a tool', () => {
  it('Q106, Q114, Q115: is one tool under its toolId, whatever carries it out', () => {
    const tool = mcpkgTool(manifest, PLACE, chooseImplementations(manifest, HOST).fitting)
    const passEnv = [...HARMLESS_VARIABLES, 'SAY_LOUD']
    expect(tool).toMatchObject({
      name: 'acme.text.say',
      title: 'Say',
      version: '1.0.0',
      description: 'Says.',
    })
    expect(tool.run).toEqual({
      kind: 'implementations',
      candidates: [
        {
          id: 'py',
          kind: 'local',
          command: { file: 'python3', args: ['./a/say.py', '-v'], cwd: '/p', passEnv, script: '/p/a/say.py' },
        },
        {
          id: 'own',
          kind: 'local',
          timeoutMs: 50,
          command: { file: '/p/bin/say', args: [], cwd: '/p', passEnv, script: '/p/bin/say' },
        },
        { id: 'endpoint', kind: 'http', endpoint: manifest.endpoint, auth: manifest.auth, timeoutMs: 70 },
      ],
    })
  })

  it('Q118: with a chain is carried out by it, and is another tool when other implementations fit', () => {
    const steps = [
      {
        step: 'a',
        tool: 'b',
        input: {},
        outputKey: 'a',
        concurrency: 4,
        retry: 0,
        optional: false,
        parallel: false,
      },
    ]
    expect(mcpkgTool({ ...manifest, chain: steps }, PLACE, []).run).toEqual({ kind: 'chain', steps })
    const { fitting } = chooseImplementations(manifest, HOST)
    expect(mcpkgTool(manifest, PLACE, fitting).digest).not.toBe(
      mcpkgTool(manifest, PLACE, fitting.slice(1)).digest,
    )
  })

  it('Q97: is a package like any other to who installs and lists it', () => {
    expect(mcpkgAsManifest(manifest)).toMatchObject({
      name: 'acme.text.say',
      entrypoint: 'manifest.json',
      author: 'Acme',
      keywords: ['fun'],
      permissions: ['env:SAY_LOUD', 'filesystem:read:./data', 'network:example.com'],
      mcp: { title: 'Say', inputSchema: { type: 'object' } },
    })
  })

  it.each([
    ['fs', false, true],
    ['acme.text.say', true, true],
    ['acme.', false, false],
    ['..', false, false],
    ['a/../b.c', false, false],
    ['-a.b', false, false],
    ['Acme.text', false, false],
  ])('Q97: %j as a name', (name, isId, isName) => {
    expect([isToolId(name), checkInstallName(name) === undefined]).toEqual([isId, isName])
  })
})
