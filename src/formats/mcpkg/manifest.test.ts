import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import type { JsonObject } from '../../model/index.ts'
import { loadJsonPath } from '../jsonpath.ts'
import { hasErrors } from '../placed.ts'
import { readMcpkgManifest } from './manifest.ts'

const jsonPath = await loadJsonPath()
const FIXTURES = new URL('../../../test/fixtures/mcpkg/', import.meta.url)
const textOf = (name: string) => readFileSync(new URL(`${name}/manifest.json`, FIXTURES), 'utf8')
const readText = (text: string) => readMcpkgManifest(text, 'manifest.json', jsonPath)
const read = (value: unknown) => readText(JSON.stringify(value, null, 2))

const HTTP = { type: 'http', method: 'POST', url: 'https://example.com/echo' }
const LEAST = {
  toolId: 'acme.demo.echo',
  name: 'Echo',
  version: '0.1.0',
  description: 'Says it again',
  capabilities: [],
  endpoint: HTTP,
  input_schema: { type: 'object' },
  output_schema: {},
}

/** Every problem as `pointer: message (hint)`, warnings marked. */
const told = (value: unknown) =>
  read(value).problems.map(({ pointer, message, hint, severity }) =>
    [
      severity === 'warning' ? 'warning ' : '',
      pointer,
      ': ',
      message,
      hint === undefined ? '' : ` (${hint})`,
    ].join(''),
  )

describe('manifest.json', () => {
  it('Q98: of the spec: echo', () => {
    const { manifest, problems } = readText(textOf('echo'))
    expect(problems).toMatchObject([{ pointer: '/toolId', severity: 'warning', line: 2 }])
    expect(manifest).toEqual({
      toolId: 'demo.echo',
      name: 'Echo Tool',
      version: '0.1.0',
      description: 'Echos back whatever input it receives.',
      capabilities: ['demo', 'echo'],
      endpoint: { type: 'http', method: 'POST', url: 'https://example.com/mcp/echo', timeoutMs: 5000 },
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      outputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      auth: { type: 'none', scopes: [], env: [], hints: {} },
      tests: ['tests/echo.test.json'],
      examples: [],
      implementations: [],
      permissions: null,
      meta: { tags: [] },
    })
  })

  it('Q100: of the spec: a charge with a bearer token', () => {
    const { manifest, problems } = readText(textOf('charge'))
    expect(problems).toEqual([])
    expect(manifest).toMatchObject({
      auth: {
        type: 'bearer',
        scopes: ['charges:write'],
        env: ['STRIPE_API_KEY'],
        docsUrl: 'https://docs.stripe.com/keys',
        hints: { env: ['STRIPE_API_KEY'] },
      },
      examples: ['examples/basic_usage.md'],
      meta: {
        publisher: { id: 'stripe', name: 'Stripe' },
        license: 'proprietary',
        tags: ['production', 'payments', 'eu-ready'],
      },
    })
  })

  it('Q112: of the spec: three implementations', () => {
    const { manifest, problems } = readText(textOf('pdf'))
    expect(problems).toEqual([])
    expect(manifest?.implementations).toEqual([
      {
        id: 'node-pdfjs',
        language: 'javascript',
        runtime: 'node',
        platforms: ['linux-x64', 'win-x64', 'darwin-arm64'],
        endpoint: {
          type: 'local',
          command: 'node ./sdk/javascript/pdf-read.js',
          words: ['node', './sdk/javascript/pdf-read.js'],
        },
        requirements: { minVersions: { node: '18.0.0' }, packages: [], commands: [], unknown: [] },
      },
      expect.objectContaining({ id: 'dotnet-itext', runtime: 'net8.0' }),
      expect.objectContaining({
        id: 'python-pymupdf',
        requirements: { minVersions: {}, packages: ['PyMuPDF>=1.23.0'], commands: [], unknown: [] },
      }),
    ])
  })

  it('Q118: of the spec: a chain', () => {
    const { manifest, problems } = readText(textOf('pipeline'))
    expect(problems).toEqual([])
    expect(manifest?.chain?.[2]).toEqual({
      step: 'generate_embeddings',
      tool: 'tools.embeddings.generate',
      input: {
        text: { kind: 'path', path: '$.cleaned_text.result' },
        model: { kind: 'path', path: '$.input.embeddingModel' },
      },
      outputKey: 'embeddings',
      concurrency: 4,
      retry: 0,
      optional: false,
      parallel: false,
    })
  })

  it('Q98: tells everything that is missing at once', () => {
    expect(told({})).toEqual([
      ': `toolId` is missing',
      ': `name` is missing',
      ': `version` is missing',
      ': `description` is missing',
      ': `capabilities` is missing',
      ': `input_schema` is missing',
      ': `output_schema` is missing',
      ': needs one of `endpoint`, `implementations` and `chain`: nothing says how it is carried out',
    ])
    expect(read({}).manifest).toBeUndefined()
  })

  it('Q98: endpoint, implementations or chain will do (reading l)', () => {
    const { endpoint, ...rest } = LEAST
    const local = { type: 'local', command: 'node ./a.js' }
    expect(told(LEAST)).toEqual([])
    expect(told({ ...rest, endpoint: local })).toEqual([])
    expect(told({ ...rest, implementations: [{ id: 'a', endpoint }] })).toEqual([])
    expect(told({ ...rest, chain: [{ step: 'a', tool: 'b' }] })).toEqual([])
    expect(told({ ...rest, implementations: [] })).toHaveLength(1)
    expect(told({ ...LEAST, chain: [{ step: 'a', tool: 'b' }] })).toEqual([
      'warning /endpoint: `endpoint` has no effect beside `chain`',
    ])
  })

  it.each<[unknown, string[]]>([
    ['a.b.c', []],
    [
      'a.b',
      [
        'warning /toolId: `toolId` `a.b` has two parts; publisher, domain and name make an id unique (for example acme.crm.search_customers)',
      ],
    ],
    ['x_1.y-2.z', []],
    [
      'echo',
      [expect.stringContaining('/toolId: `toolId` cannot be "echo": an id has two or more parts') as string],
    ],
    ['Acme.Echo Tool', [expect.stringContaining('(for example acme.echo_tool)') as string]],
    ['a..b', [expect.stringContaining('(for example a.b)') as string]],
    ['-rf.x', [expect.stringContaining('(for example rf.x)') as string]],
    ['../x.y', [expect.stringContaining('cannot be "../x.y"') as string]],
    [`${'a.'.repeat(80)}b`, ['/toolId: `toolId` must not be longer than 128 characters']],
    [7, [expect.stringContaining('must be text, but reads as a number') as string]],
  ])('Q97: toolId %j (reading m)', (toolId, problems) => {
    expect(told({ ...LEAST, toolId })).toEqual(problems)
  })

  it('Q98: the version is SemVer', () => {
    expect(told({ ...LEAST, version: '1.0.0-rc.1+7' })).toEqual([])
    expect(told({ ...LEAST, version: 'v1.0' })[0]).toContain('must be a version such as 1.0.0, not "v1.0"')
    expect(told({ ...LEAST, version: '1.0' })[0]).toContain('three numbers: 1.0.0')
  })

  it.each<[JsonObject, string[]]>([
    [{ ...HTTP, url: 'http://127.0.0.1:8080/a/{id}?x=1' }, []],
    [
      { ...HTTP, method: 'post' },
      [
        '/endpoint/method: `endpoint.method` must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, not "post" (did you mean POST?)',
      ],
    ],
    [{ type: 'http' }, ['/endpoint: `method` is missing', '/endpoint: `url` is missing']],
    [{}, ['/endpoint: `type` is missing']],
    [
      { ...HTTP, type: 'grpc' },
      ['/endpoint/type: `endpoint.type` must be http or local, not "grpc" (MCPKG keeps grpc for later)'],
    ],
    [
      { ...HTTP, url: 'example.com' },
      ['/endpoint/url: `endpoint.url` must be a URL that begins with https:// or http://, not "example.com"'],
    ],
    [
      { ...HTTP, url: 'file:///etc/passwd' },
      [expect.stringContaining('must be a URL that begins with https://') as string],
    ],
    [
      { ...HTTP, url: 'https://me:pw@example.com/' },
      [expect.stringContaining('must not have a password in it') as string],
    ],
    [{ ...HTTP, url: 'https://{host}/x' }, [expect.stringContaining('/endpoint/url') as string]],
    [
      { ...HTTP, url: 'https://example.com/x?y={y}' },
      [expect.stringContaining('may have {name} in its path only') as string],
    ],
    [
      { ...HTTP, url: 'https://example.com/{x' },
      [expect.stringContaining('has a { or } that is not part of a {name}') as string],
    ],
    [{ ...HTTP, url: 'https://example.com/#x' }, [expect.stringContaining('never sent') as string]],
    [{ ...HTTP, url: 'https://example.com/a b' }, [expect.stringContaining('without spaces') as string]],
    [
      { ...HTTP, timeoutMs: 0 },
      ['/endpoint/timeoutMs: `endpoint.timeoutMs` must be a whole number from 1 to 3600000, not 0'],
    ],
    [
      { ...HTTP, command: 'a' },
      ['warning /endpoint/command: `endpoint.command` has an effect on endpoints of type local only'],
    ],
    [
      { ...HTTP, retries: 1 },
      ['warning /endpoint/retries: unknown key `retries` has no effect (name it x-… if it is yours)'],
    ],
    [{ ...HTTP, 'x-mine': 1 }, []],
    [{ type: 'local' }, ['/endpoint: `command` is missing']],
    [
      { type: 'local', command: 'a | b' },
      [expect.stringContaining('/endpoint/command: `endpoint.command` has | in it') as string],
    ],
    [
      { type: 'local', command: 'x'.repeat(5000) },
      ['/endpoint/command: `endpoint.command` must not be longer than 4096 characters'],
    ],
  ])('Q99: endpoint %j', (endpoint, problems) => {
    expect(told({ ...LEAST, endpoint })).toEqual(problems)
  })

  it('Q99: what the URL takes must be an argument', () => {
    const endpoint = { ...HTTP, url: 'https://example.com/{a}/{b}/{c}' }
    const input_schema = { type: 'object', properties: { a: {}, b: {} }, required: ['a'] }
    expect(told({ ...LEAST, endpoint, input_schema })).toEqual([
      'warning /endpoint/url: `endpoint.url` takes {b}, which `input_schema` does not require',
      'warning /endpoint/url: `endpoint.url` takes {c}, which is no property of `input_schema`',
    ])
  })

  it.each<[JsonObject, string[]]>([
    [{ type: 'none' }, []],
    [{ type: 'bearer', configHints: { env: ['KEY'], anything: { goes: true } } }, []],
    [{ type: 'api_key', configHints: { env: ['KEY'], header: 'X-Key' } }, []],
    [{ type: 'oauth2', configHints: { env: ['ID', 'SECRET'], tokenUrl: 'https://example.com/token' } }, []],
    [{}, ['/auth: `type` is missing']],
    [
      { type: 'basic' },
      ['/auth/type: `auth.type` must be one of none, bearer, api_key, oauth2, not "basic"'],
    ],
    [
      { type: 'bearer' },
      [
        'warning /auth/configHints: `auth.configHints` does not name the secret, so the endpoint cannot be called (for example "env": ["API_KEY"])',
      ],
    ],
    [
      { type: 'oauth2', configHints: { env: ['ID'], tokenUrl: 'https://example.com/token' } },
      [expect.stringContaining('does not name the two secrets') as string],
    ],
    [
      { type: 'bearer', configHints: { env: ['A B'] } },
      [
        expect.stringContaining('must be the name of a variable') as string,
        expect.stringContaining('warning /auth/configHints') as string,
      ],
    ],
    [
      { type: 'api_key', configHints: { env: ['K'], header: 'a b' } },
      [expect.stringContaining('must be the name of a header') as string],
    ],
    [
      { type: 'api_key', configHints: { env: ['K'], header: 'Content-Length' } },
      [expect.stringContaining('requests use it for themselves') as string],
    ],
    [
      { type: 'api_key', configHints: { env: ['K'], header: 'X-K', query: 'k' } },
      [expect.stringContaining('the header is used') as string],
    ],
    [
      { type: 'oauth2', configHints: { env: ['I', 'S'], tokenUrl: 'http://example.com/' } },
      [expect.stringContaining('must begin with https://') as string],
    ],
    [
      { type: 'bearer', configHints: { env: ['K'], tokenUrl: 'https://example.com/' } },
      [expect.stringContaining('has an effect on oauth2 only') as string],
    ],
  ])('Q100: auth %j', (auth, problems) => {
    expect(told({ ...LEAST, auth })).toEqual(problems)
  })

  it('Q100: a secret is not sent in the open', () => {
    const auth = { type: 'bearer', configHints: { env: ['KEY'] } }
    const at = (url: string) => told({ ...LEAST, auth, endpoint: { ...HTTP, url } })
    expect(at('http://example.com/')).toEqual([expect.stringContaining('can be read on the way')])
    expect(at('http://localhost:1/')).toEqual([])
    expect(told({ ...LEAST, auth, endpoint: { type: 'local', command: 'a' } })).toEqual([
      'warning /auth: `auth` has an effect on http endpoints only',
    ])
  })

  it('Q96: paths stay inside the package', () => {
    const { problems, manifest } = read({
      ...LEAST,
      tests: ['../x', '/etc/passwd', 'a\\b'],
      examples: ['./a//b.md', 'a/b.md'],
    })
    expect(manifest).toBeUndefined()
    expect(problems.map(({ pointer }) => pointer)).toEqual([
      '/tests/0',
      '/tests/1',
      '/tests/2',
      '/examples/1',
    ])
    expect(read({ ...LEAST, examples: ['./a//b.md', 'a/b.md'] }).manifest?.examples).toEqual(['a/b.md'])
  })

  it.each<[JsonObject, string[]]>([
    [{ id: 'a', endpoint: HTTP }, []],
    [{}, ['/implementations/0: `id` is missing', '/implementations/0: `endpoint` is missing']],
    [{ id: 'a b', endpoint: HTTP }, [expect.stringContaining('must be an id such as node-pdfjs') as string]],
    [
      { id: 'endpoint', endpoint: HTTP },
      [expect.stringContaining('that is the endpoint of the manifest') as string],
    ],
    [
      { id: 'a', endpoint: HTTP, platforms: ['linux-x46'] },
      [
        'warning /implementations/0/platforms/0: `implementations.platforms` is no platform Orla knows: "linux-x46" (did you mean linux-x64?)',
      ],
    ],
    [
      { id: 'a', endpoint: HTTP, runtime: '>=18' },
      [expect.stringContaining('warning /implementations/0/runtime') as string],
    ],
    [
      { id: 'a', endpoint: HTTP, requirements: { minNodeVersion: 'new' } },
      [expect.stringContaining('must be a version such as 18.0.0') as string],
    ],
    [{ id: 'a', endpoint: HTTP, requirements: { minNodeVersion: '18' } }, []],
    [
      { id: 'a', endpoint: HTTP, requirements: { packages: ['a>=x'] } },
      [expect.stringContaining('has a range that cannot be read') as string],
    ],
    [
      {
        id: 'a',
        endpoint: HTTP,
        requirements: { packages: ['requests[socks]~=2.31', '@scope/x@^1.2', 'y==1.*'] },
      },
      [],
    ],
    [{ id: 'a', endpoint: HTTP, requirements: { commands: ['ffmpeg', 'jq>=1.6'] } }, []],
    [
      { id: 'a', endpoint: HTTP, requirements: { commands: ['a b c', 'tool:fs'] } },
      [
        expect.stringContaining('commands/0') as string,
        expect.stringContaining('must be a program, not a tool') as string,
      ],
    ],
    [
      { id: 'a', endpoint: HTTP, requirements: { gpu: true } },
      [expect.stringContaining('unknown requirement `gpu`') as string],
    ],
  ])('Q112: implementation %j', (implementation, problems) => {
    const { endpoint: _, ...rest } = LEAST
    expect(told({ ...rest, implementations: [implementation] })).toEqual(problems)
  })

  it('Q112: ids are unique', () => {
    const implementations = [
      { id: 'a', endpoint: HTTP },
      { id: 'a', endpoint: HTTP },
    ]
    expect(told({ ...LEAST, implementations })).toEqual([
      '/implementations/1/id: `implementations.id` `a` stands here twice',
    ])
  })

  it('Q98: arguments have names', () => {
    expect(told({ ...LEAST, input_schema: { type: 'array' } })).toEqual([
      '/input_schema/type: `input_schema.type` must be "object": a tool takes its arguments by name',
    ])
  })

  it('Q98: an unknown key is told and passed over', () => {
    const { manifest, problems } = read({ ...LEAST, desciption: 'x', 'x-own': 1 })
    expect(manifest).toBeDefined()
    expect(problems).toMatchObject([
      { severity: 'warning', hint: 'did you mean `description`?', line: 16, column: 3 },
    ])
  })

  it('Q98: a key in the wrong place is shown the right one', () => {
    expect(told({ ...LEAST, timeoutMs: 5, license: 'MIT' })).toEqual([
      'warning /timeoutMs: unknown key `timeoutMs` has no effect (it belongs below `endpoint`)',
      'warning /license: unknown key `license` has no effect (it belongs below `meta`)',
    ])
  })

  it('Q90: permissions are words as in tool.yaml', () => {
    expect(read({ ...LEAST, permissions: ['network:example.com'] }).manifest?.permissions).toEqual([
      'network:example.com',
    ])
    expect(read({ ...LEAST, permissions: ['everything'] }).problems).toHaveLength(1)
  })

  it('says where the text is no JSON', () => {
    const { manifest, problems } = readText('{\n  "toolId": "a.b", // mine\n}')
    expect(manifest).toBeUndefined()
    expect(problems).toMatchObject([{ line: 2, column: 20, hint: 'JSON has no comments' }])
    expect(readText('[]').problems).toMatchObject([{ message: 'must be a map, not a list' }])
    expect(readText(' '.repeat(2_000_000)).problems).toMatchObject([{ message: 'is larger than 1 MiB' }])
    expect(readText('').problems).toMatchObject([{ message: 'is empty' }])
  })

  it('never throws, and gives no manifest beside an error', () => {
    const anything = fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.jsonValue(),
    )
    const spoiled = fc
      .tuple(fc.constantFrom('echo', 'charge', 'pdf', 'pipeline'), fc.infiniteStream(fc.nat()), anything)
      .map(([name, choices, value]) => spoil(JSON.parse(textOf(name)), choices, value))
    fc.assert(
      fc.property(fc.oneof(spoiled, anyText(), fc.json()), (source) => {
        const { manifest, problems } = readText(typeof source === 'string' ? source : JSON.stringify(source))
        expect(manifest === undefined).toBe(hasErrors(problems))
        expect(problems.every(({ line, column }) => line > 0 && column > 0)).toBe(true)
      }),
      { numRuns: 400 },
    )
  })
})

/** Something else in a random place. */
function spoil(document: unknown, choices: fc.Stream<number>, value: unknown): unknown {
  const [pick = 0] = [...choices.take(1)]
  if (typeof document !== 'object' || document === null || pick % 5 === 0) return value
  const keys = Object.keys(document)
  const key = keys[pick % (keys.length + 1)] ?? 'added'
  if (Array.isArray(document)) {
    return document.map((item, index) => (String(index) === key ? spoil(item, choices, value) : item))
  }
  return { ...document, [key]: spoil((document as JsonObject)[key], choices, value) }
}
