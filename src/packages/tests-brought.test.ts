import { describe, expect, it } from 'vitest'
import { loadJsonPath, readMcpkgManifest } from '../formats/index.ts'
import { bringsTests } from './tests-brought.ts'

const BASE = {
  toolId: 'acme.text.greet',
  name: 'Greet',
  version: '1.0.0',
  description: 'Greets.',
  capabilities: ['greet'],
  input_schema: { type: 'object' },
  output_schema: { type: 'object' },
  tests: ['checks/one.json'],
}
const HTTP = { type: 'http', method: 'POST', url: 'https://example.com/' }

describe('tests that run before an install', () => {
  it.each([
    ['is reached over the network', { endpoint: HTTP }, false],
    ['runs here', { endpoint: { type: 'local', command: './run' } }, true],
    ['calls others', { chain: [{ step: 'one', tool: 'a.b.c', inputMapping: {} }] }, true],
    ['has none', { endpoint: { type: 'local', command: './run' }, tests: [] }, false],
  ])('Q105: an .mcpkg that %s', async (_what, more, expected) => {
    const text = JSON.stringify({ ...BASE, ...more })
    const { manifest, problems } = readMcpkgManifest(text, 'manifest.json', await loadJsonPath())
    expect([problems.filter(({ severity }) => severity === 'error'), manifest === undefined]).toEqual([
      [],
      false,
    ])
    expect(bringsTests(manifest, [])).toBe(expected)
  })

  it.each([
    ['tests/a.test.json', true],
    ['tests/deep/a.test.json', false],
    ['tests/data.json', false],
    ['a.test.json', false],
    ['manifest.json', false],
  ])('Q105: a package with tool.yaml and %s', (path, expected) => {
    expect(bringsTests(undefined, [path])).toBe(expected)
  })
})
