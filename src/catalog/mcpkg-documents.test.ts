import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDiscovery, type Discovery } from './discover.ts'

let project: string
let discovery: Discovery
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'orla-documents-'))
  discovery = createDiscovery()
})
afterEach(() => {
  rmSync(project, { recursive: true, force: true })
})

function put(path: string, content: string, mode = 0o644): string {
  const file = join(project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode })
  return file
}
const scan = async () =>
  (await discovery.scan({ toolsDir: join(project, 'tools'), cwd: project, globalDir: null, versions: {} }))
    .catalog

function putEcho(): void {
  const manifest = {
    toolId: 'demo.net.echo',
    name: 'Echo',
    version: '0.1.0',
    description: 'Echoes.',
    capabilities: [],
    endpoint: { type: 'http', method: 'POST', url: 'https://example.com/echo' },
    input_schema: { type: 'object' },
    output_schema: { type: 'object' },
    tests: ['tests/a b.test.json'],
    examples: ['examples/basic.md', 'docs/more.txt', 'examples/gone.md'],
  }
  put('.mcp/tools/demo.net.echo/manifest.json', JSON.stringify(manifest))
  put('.mcp/tools/demo.net.echo/tests/a b.test.json', '{}')
  put('.mcp/tools/demo.net.echo/tests/unlisted.test.json', '{}')
  put('.mcp/tools/demo.net.echo/examples/basic.md', '# Basic')
  put('.mcp/tools/demo.net.echo/docs/more.txt', 'More')
}

describe('what packages bring for models', () => {
  it('Q101, Q106, Q126: examples and tests are documents, those an .mcpkg lists and those in the folders of others', async () => {
    putEcho()
    put('tools/fs/1.0.0/tool.yaml', 'name: fs\nversion: 1.0.0\ndescription: Files\nentrypoint: bin/fs\n')
    put('tools/fs/1.0.0/bin/fs', '#!/bin/sh\n', 0o755)
    put('tools/fs/1.0.0/examples/list.md', '# List')
    put('tools/fs/1.0.0/examples/picture.png', '')
    put('tools/fs/1.0.0/tests/list.test.json', '{}')
    const { documents, problems } = await scan()
    expect(problems).toEqual([])
    expect(documents?.map(({ uri, mimeType }) => `${uri} ${mimeType}`).sort()).toEqual([
      'orla://tool/demo.net.echo/examples/basic.md text/markdown',
      'orla://tool/demo.net.echo/examples/docs/more.txt text/plain',
      'orla://tool/demo.net.echo/tests/a%20b.test.json application/json',
      'orla://tool/fs/examples/list.md text/markdown',
      'orla://tool/fs/tests/list.test.json application/json',
    ])
  })

  it('Q126: prompts have a head in YAML, and places that nobody declared have to be filled', async () => {
    putEcho()
    put(
      '.mcp/tools/demo.net.echo/prompts/ask.md',
      '---\nname: ask-it\ntitle: Ask\ndescription: Asks\narguments:\n  - name: what\n    description: The thing\n---\nSay {{what}} to {{ who }}.\n',
    )
    put('.mcp/tools/demo.net.echo/prompts/plain text.md', 'Say hello.\n\n---\n\nThen stop.\n')
    const broken = put('.mcp/tools/demo.net.echo/prompts/zz.md', '---\nname: [1]\n---\nx')
    const { prompts, problems } = await scan()
    expect(prompts).toEqual([
      {
        name: 'demo.net.echo.ask-it',
        title: 'Ask',
        description: 'Asks',
        arguments: [
          { name: 'what', description: 'The thing', required: false },
          { name: 'who', required: true },
        ],
        text: 'Say {{what}} to {{ who }}.',
      },
      { name: 'demo.net.echo.plain_text', arguments: [], text: 'Say hello.\n\n---\n\nThen stop.' },
    ])
    expect(problems).toMatchObject([{ file: broken, line: 2 }])
  })

  it('a catalog stays the same object until a document changes, and has none without packages', async () => {
    expect((await scan()).documents).toBeUndefined()
    putEcho()
    const first = await scan()
    expect(await scan()).toBe(first)
    put('.mcp/tools/demo.net.echo/prompts/new.md', 'Hello')
    expect((await scan()).prompts).toHaveLength(1)
  })
})
