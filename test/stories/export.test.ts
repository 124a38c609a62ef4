import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connectHttp } from './clients.ts'
import { makeProject } from './project.ts'

const TOOLS = {
  'orla.yaml': '',
  'tools/hello.sh': '#!/bin/sh\n# Says hello.\n# @param name {string} who\necho hello\n',
  'tools/demo.echo': '#!/bin/sh\n# Echoes.\ncat\n',
  'tools/words': '#!/bin/sh\necho "[]"\n',
  'tools/words.tool.yaml': [
    'description: Gives words.',
    'mcp:',
    '  output_schema: {type: array, items: {type: string}}',
    '  annotations: {readOnlyHint: true}',
    '  icons: [{src: "https://example.com/a.png"}]',
    '  _meta: {since: 1}',
    '',
  ].join('\n'),
}

it('Q86, Q106: orla export prints what a server lists, for whoever calls a model', async () => {
  const project = makeProject(TOOLS)
  const server = await project.serve()
  const client = await connectHttp('v2-modern', server.url)
  const exported = await project.orla(['export'])
  expect(exported.status).toBe(0)
  const { tools } = JSON.parse(exported.stdout)
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['demo', 'hello', 'words'])
  expect(tools).toEqual(JSON.parse(JSON.stringify(await client.list())))
  expect((await project.orla(['export'])).stdout).toBe(exported.stdout)
})

it('Q86, Q106: writes tools.json with the examples and tests of packages', async () => {
  const project = makeProject({
    'orla.yaml': '',
    'tools/greet/tool.yaml':
      'name: greet\nversion: 1.0.0\ndescription: Greets.\nentrypoint: bin/greet\nmcp: {input_schema: {name: string}}\n',
    'tools/greet/bin/greet': '#!/bin/sh\necho hello\n',
    'tools/greet/examples/basic.md': '# Basic\nCall it with a name.\n',
    'tools/greet/tests/ada.test.json':
      '{"name":"ada","input":{"name":"Ada"},"expected":{"greeting":"Hello, Ada!"}}',
  })
  const words = ['export', '--format', 'openai', '--examples', '--tests', '-o', 'tools.json']
  const result = await project.orla(words)
  expect([result.status, result.stdout]).toEqual([0, ''])
  const [tool] = JSON.parse(readFileSync(join(project.dir, 'tools.json'), 'utf8'))
  expect(tool.function.name).toBe('greet')
  expect(tool.function.description).toBe(
    [
      'Greets.',
      'Example basic.md:\n# Basic\nCall it with a name.',
      'Tested with:\n- ada: {"name":"Ada"} gives {"greeting":"Hello, Ada!"}',
    ].join('\n\n'),
  )
  expect((await project.orla(['export', '--format', 'xml'])).status).toBe(2)
  const missing = await project.orla(['export', '-o', 'missing/tools.json'])
  expect([missing.status, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/there is no folder .*missing\n$/),
  ])
})

it('Q106: what is exported about one tool has an end', async () => {
  const project = makeProject({
    'orla.yaml': '',
    'tools/greet/tool.yaml': 'name: greet\nversion: 1.0.0\ndescription: Greets.\nentrypoint: bin/greet\n',
    'tools/greet/bin/greet': '#!/bin/sh\necho hello\n',
    'tools/greet/examples/a.md': 'short',
    'tools/greet/examples/b.md': 'x'.repeat(1_000_000),
    'tools/greet/examples/c.md': 'short too',
    'tools/greet/tests/a.test.json': JSON.stringify({ name: 'a', input: { text: 'y'.repeat(100_000) } }),
  })
  const result = await project.orla(['export', '--examples', '--tests'])
  const [{ description }] = JSON.parse(result.stdout).tools
  expect(description).toBe('Greets.\n\nExample a.md:\nshort\n\nExample c.md:\nshort too')
  expect(result.stderr).toContain('warning: 2 examples and tests of `greet` left out')
})
