import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/index.ts'
import { loadJsonPath } from '../jsonpath.ts'
import type { SchemaKit } from '../judge.ts'
import { checkMcpkgFiles, type McpkgKit } from './check-files.ts'
import { commandFiles } from './command-files.ts'
import { readMcpkgManifest } from './manifest.ts'
import { missingInOpenapi } from './openapi.ts'
import { loadPatterns } from './patterns.ts'

const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false })
const schemas: SchemaKit = {
  check(schema) {
    try {
      ajv.compile(schema)
      return []
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  },
  validate: (schema, value) =>
    ajv.validate(schema, value) ? [] : (ajv.errors ?? []).map(({ message }) => message ?? ''),
}
const kit: McpkgKit = { jsonPath: await loadJsonPath(), schemas, patterns: await loadPatterns() }

type Tree = Record<string, string>
const FIXTURES = new URL('../../../test/fixtures/mcpkg/', import.meta.url)
const CHARGE = fixture('charge')

function fixture(name: string): Tree {
  const root = new URL(`${name}/`, FIXTURES)
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name: file }) => {
      const path = `${parentPath}/${file}`
      return [
        path.slice(path.indexOf(`/${name}/`) + name.length + 2).replace(/^\/+/, ''),
        readFileSync(path, 'utf8'),
      ]
    }),
  )
}

function check(tree: Tree) {
  const reading = readMcpkgManifest(tree['manifest.json'] ?? '', 'manifest.json', kit.jsonPath)
  return checkMcpkgFiles(reading, { paths: new Set(Object.keys(tree)), read: (path) => tree[path] }, kit)
}

/** A fixture with keys of its manifest replaced. */
function changed(name: string, keys: JsonObject, files: Tree = {}): Tree {
  const tree = fixture(name)
  return {
    ...tree,
    'manifest.json': JSON.stringify({ ...JSON.parse(tree['manifest.json'] ?? ''), ...keys }, null, 1),
    ...files,
  }
}
const told = (tree: Tree) =>
  check(tree).map(
    ({ file, pointer, message, severity }) =>
      `${severity === 'warning' ? 'warning ' : ''}${file}${pointer}: ${message}`,
  )

describe('the files of a package', () => {
  it.each(['echo', 'charge', 'pdf', 'pipeline'])('Q105: of the spec are in order: %s', (name) => {
    expect(Object.keys(fixture(name))).toContain('manifest.json')
    expect(check(fixture(name))).toEqual([])
  })

  it('Q105: both schemas are JSON Schema', () => {
    const tree = changed('echo', {
      input_schema: { type: 'objekt' },
      output_schema: { $schema: 'http://json-schema.org/draft-04/schema#' },
    })
    expect(told(tree)).toEqual([
      expect.stringContaining('manifest.json/input_schema: `input_schema` is not a JSON Schema: '),
      'warning manifest.json/output_schema/$schema: `output_schema.$schema` names a draft that Orla does not know; it knows 2020-12 and 7',
      expect.stringContaining('manifest.json/output_schema: `output_schema` is not a JSON Schema: '),
    ])
  })

  it('Q96: what is listed is there', () => {
    const tree = changed('echo', { tests: ['tests/ecko.test.json', 'nowhere'], examples: ['examples/a.md'] })
    expect(check(tree)).toMatchObject([
      {
        pointer: '/tests/0',
        message: '`tests` names `tests/ecko.test.json`, which is not in the package',
        hint: 'did you mean tests/echo.test.json?',
      },
      { pointer: '/tests/1' },
      {
        pointer: '/tests',
        severity: 'warning',
        message: '`tests` does not list `tests/echo.test.json`, so it is not run',
      },
      { pointer: '/examples/0', message: '`examples` names `examples/a.md`, which is not in the package' },
    ])
  })

  it('Q108: tests parse, and their input fits', () => {
    const test = {
      name: 'x',
      input: { message: 7 },
      assertions: [
        { path: '$.a', matches: '(' },
        { path: '$.b', schema: { type: 'no' } },
      ],
    }
    const tree = { ...fixture('echo'), 'tests/echo.test.json': JSON.stringify(test, null, 2) }
    expect(told(tree)).toEqual([
      expect.stringContaining(
        'tests/echo.test.json/assertions/0/matches: `assertions.matches` is not a regular expression',
      ),
      expect.stringContaining(
        'tests/echo.test.json/assertions/1/schema: `assertions.schema` is not a JSON Schema',
      ),
      'tests/echo.test.json/input: `input` does not fit `input_schema`: must be string',
    ])
    expect(check({ ...tree, 'tests/echo.test.json': '{' })).toMatchObject([
      { file: 'tests/echo.test.json', message: 'ends too early' },
    ])
  })

  it('Q99: openapi.json contains the endpoint', () => {
    expect(told(changed('charge', {}, { 'openapi.json': '{"openapi":"3.1.0"}' }))).toEqual([
      'openapi.json: has no `paths`',
    ])
    expect(told(changed('charge', {}, { 'openapi.json': '[]' }))).toEqual([
      'openapi.json: must be a map, not a list',
    ])
    const endpoint = { type: 'http', method: 'PUT', url: 'https://api.stripe.com/v1/charges' }
    expect(told(changed('charge', { endpoint }))).toEqual([
      'manifest.json/endpoint/url: `endpoint.url` is not in openapi.json with PUT: `/charges` has other methods only',
    ])
    const elsewhere = { ...endpoint, url: 'https://api.stripe.com/v2/charge' }
    expect(told(changed('charge', { endpoint: elsewhere }))).toEqual([
      'manifest.json/endpoint/url: `endpoint.url` is not in openapi.json: no server and path there make PUT https://api.stripe.com/v2/charge',
    ])
  })

  it('Q112: the files of commands are there, and inside', () => {
    const one = (command: string) =>
      told(changed('pdf', { implementations: [{ id: 'a', endpoint: { type: 'local', command } }] }))
    const at = 'manifest.json/implementations/0/endpoint/command: `implementations.endpoint.command`'
    expect(one('node ./sdk/gone.js')).toEqual([`${at} names \`sdk/gone.js\`, which is not in the package`])
    expect(one('node ../other/x.js')).toEqual([`${at} must not leave the package with ..`])
    expect(one('/usr/bin/env node ./sdk/javascript/pdf-read.js')).toEqual([
      expect.stringContaining(`warning ${at} names \`/usr/bin/env\``),
    ])
  })

  it('Q102: publisher and provenance are read', () => {
    const files = { 'meta/publisher.json': '{"id": 7}', 'meta/provenance.json': '{"comit": "x"}' }
    expect(told(changed('charge', {}, files))).toEqual([
      'meta/publisher.json/id: `id` must be some words, but reads as a number',
      'warning meta/provenance.json/comit: unknown key `comit` has no effect',
    ])
  })

  it('Q105: tells about the files even when the manifest has errors', () => {
    expect(told(changed('echo', { version: 'one', tests: ['tests/gone.json'] }))).toEqual([
      'manifest.json/tests/0: `tests` names `tests/gone.json`, which is not in the package',
      'warning manifest.json/tests: `tests` does not list `tests/echo.test.json`, so it is not run',
    ])
    expect(told({ 'manifest.json': 'no' })).toEqual([])
  })
})

describe('files that say anything', () => {
  it('never throw', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((paths) => JSON.stringify({ paths, servers: [paths] })),
    )
    const names = ['manifest.json', 'openapi.json', 'tests/basic_charge.test.json', 'meta/publisher.json']
    fc.assert(
      fc.property(fc.constantFrom(...names), text, (name, written) => {
        expect(check({ ...CHARGE, [name]: written }).every(({ line }) => line > 0)).toBe(true)
      }),
    )
  })
})

describe('the words of a command', () => {
  it.each<[string[], string[]]>([
    [
      ['node', './a.js', './data'],
      ['a.js', 'data'],
    ],
    [['bin/tool', 'x/y'], ['bin/tool']],
    [['python', 'main.py'], ['main.py']],
    [['python', '-m', 'module.name'], []],
    [['java', '-jar', './x.jar'], ['x.jar']],
    [['curl', 'https://example.com/x.js'], []],
    [['tool', '--rate=1.5'], []],
  ])('Q112: %j are files %j', (words, needed) => {
    expect(commandFiles(words)).toEqual({ needed, flaws: [] })
  })

  it.each([['a', '..'], ['../a'], ['a', 'x/../../y'], ['a', '--config=../x']])(
    'Q96: %j leaves the package',
    (...words) => {
      expect(commandFiles(words).flaws).toEqual([{ message: 'must not leave the package with ..' }])
    },
  )
})

describe('an OpenAPI document', () => {
  const get = { get: {} }
  it.each<[JsonObject, string, boolean]>([
    [{ paths: { '/a': get } }, 'https://example.com/a', true],
    [{ servers: [{ url: '/v1' }], paths: { '/a': get } }, 'https://example.com/v1/a', true],
    [{ servers: [{ url: '/v1' }], paths: { '/a': get } }, 'https://example.com/a', false],
    [
      { servers: [{ url: 'https://example.com/' }], paths: { '/a/{id}': get } },
      'https://EXAMPLE.com:443/a/{key}',
      true,
    ],
    [{ servers: [{ url: 'https://other.example' }], paths: { '/a': get } }, 'https://example.com/a', false],
    [
      { servers: [{ url: 'https://{region}.example.com' }], paths: { '/a': get } },
      'https://eu.example.com/a',
      true,
    ],
    [{ paths: { '/a': { servers: [{ url: 'https://x.example' }], ...get } } }, 'https://x.example/a', true],
    [{ paths: { '/a/{id}': get } }, 'https://example.com/a/b/c', false],
    [
      { swagger: '2.0', host: 'example.com', basePath: '/v1', paths: { '/a': get } },
      'https://example.com/v1/a',
      true,
    ],
    [
      { swagger: '2.0', host: 'example.com', schemes: ['http'], paths: { '/a': get } },
      'https://example.com/a',
      false,
    ],
    [{ servers: 'none', paths: { '/a': get, '/b': null } }, 'https://example.com/a/', true],
  ])('Q99: %j contains GET %s: %s', (document, url, isThere) => {
    expect(missingInOpenapi(document, { type: 'http', method: 'GET', url }) === undefined).toBe(isThere)
  })
})
