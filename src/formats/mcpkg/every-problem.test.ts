import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/index.ts'
import { loadJsonPath } from '../jsonpath.ts'
import { checkMcpkgFiles } from './check-files.ts'
import { readMcpkgManifest } from './manifest.ts'
import { loadPatterns } from './patterns.ts'

const kit = {
  jsonPath: await loadJsonPath(),
  patterns: await loadPatterns(),
  schemas: {
    check: () => [],
    validate: (_schema: JsonObject, value: unknown) =>
      typeof value === 'object' && value !== null && 'text' in value ? [] : ['`text` is missing'],
  },
}

const MANIFEST = {
  toolId: 'acme.text.clean',
  name: 'Clean',
  version: '1.0.0',
  description: 'Cleans',
  capabilities: [],
  input_schema: { type: 'object', properties: { text: {} }, required: ['text'] },
  output_schema: {},
}

function told(keys: JsonObject, files: Readonly<Record<string, string>> = {}, tools?: readonly string[]) {
  const reading = readMcpkgManifest(JSON.stringify({ ...MANIFEST, ...keys }), 'manifest.json', kit.jsonPath)
  const paths = new Set(Object.keys(files))
  const more = tools === undefined ? kit : { ...kit, tools }
  const beside = checkMcpkgFiles(reading, { paths, read: (path) => files[path] }, more)
  return [...reading.problems, ...beside].map(
    ({ file, pointer, message, severity }) =>
      `${severity === 'warning' ? 'warning ' : ''}${file}#${pointer}: ${message}`,
  )
}

describe('one flaw hides no other', () => {
  it('Q105: among implementations', () => {
    const implementations = [
      42,
      { endpoint: { type: 'local', command: 'node ./gone.mjs' }, platforms: [7, 'linx'] },
      { id: 'a', endpoint: { type: 'http', method: 'GOT', url: 'https://example.com/' } },
      { id: 'a', endpoint: { type: 'http', method: 'GET', url: 'https://example.com/{who}' } },
    ]
    expect(told({ implementations })).toEqual([
      'manifest.json#/implementations/0: `implementations` must be a map, not 42',
      expect.stringMatching(/#\/implementations\/1\/platforms\/0: /),
      'manifest.json#/implementations/1: `id` is missing',
      expect.stringMatching(/^warning .*#\/implementations\/1\/platforms\/1: .*"linx"/),
      expect.stringMatching(/#\/implementations\/2\/endpoint\/method: /),
      'manifest.json#/implementations/3/id: `implementations.id` `a` stands here twice',
      expect.stringMatching(/^warning .*#\/implementations\/3\/endpoint\/url: .*\{who\}/),
      expect.stringMatching(/#\/implementations\/1\/endpoint\/command: .*gone\.mjs/),
    ])
  })

  it('Q105: among tests and their assertions', () => {
    const files = {
      'tests/a.test.json': JSON.stringify({
        name: 'a',
        input: {},
        assertions: [7, { path: '$[', equals: 1 }, { path: '$.x', length: 'long' }, { path: '$.y' }],
      }),
      'tests/b.test.json': '{"name":"b","input":{"text":""}}',
    }
    const endpoint = { type: 'http', method: 'GET', url: 'https://example.com/' }
    expect(told({ endpoint, tests: [3, 'tests/a.test.json', 'tests/c.test.json'] }, files)).toEqual([
      expect.stringMatching(/^manifest\.json#\/tests\/0: /),
      expect.stringMatching(/^manifest\.json#\/tests\/2: .*c\.test\.json/),
      expect.stringMatching(/^warning manifest\.json#\/tests: .*b\.test\.json/),
      expect.stringMatching(/^tests\/a\.test\.json#\/assertions\/0: /),
      expect.stringMatching(/^tests\/a\.test\.json#\/assertions\/2\/length: /),
      expect.stringMatching(/^tests\/a\.test\.json#\/assertions\/1\/path: /),
      expect.stringMatching(/^tests\/a\.test\.json#\/assertions\/3: .*must say one of/),
      expect.stringMatching(/^tests\/a\.test\.json#\/input: .*does not fit/),
    ])
  })

  it('Q105 Q120: among the steps of a chain', () => {
    const chain = [
      { step: 'read', tool: 'acme.text.read', retry: -1 },
      { step: 'two words', tool: 'acme.text.gone', inputMapping: { text: '$.reed' } },
      { step: 'last', tool: 'acme.text.clean', inputMapping: { a: '$[', b: '$.last', c: '$.maybe' } },
    ]
    expect(told({ chain }, {}, ['acme.text.read', 'acme.text.clean'])).toEqual([
      expect.stringMatching(/#\/chain\/0\/retry: /),
      expect.stringMatching(/#\/chain\/1\/step: .*two words/),
      expect.stringMatching(/#\/chain\/2\/tool: .*would never end/),
      expect.stringMatching(/#\/chain\/2\/inputMapping\/a: /),
      expect.stringMatching(/#\/chain\/2\/inputMapping\/b: .*this very step/),
      'warning manifest.json#/chain/1/tool: `chain.tool` names `acme.text.gone`, which is not installed here',
    ])
  })

  it('Q120: a name that a flawed step may give is not called unknown', () => {
    const chain = [
      { tool: 'x.y', outputKey: 'read' },
      { step: 'b', tool: 'x.y', inputMapping: { a: '$.gone' } },
    ]
    expect(told({ chain })).toEqual(['manifest.json#/chain/0: `step` is missing'])
  })
})
