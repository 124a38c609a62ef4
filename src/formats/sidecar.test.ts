import { expect, it } from 'vitest'
import { SIDECAR } from './sidecar.ts'
import { loadYaml } from './yaml.ts'

const read = async (text: string) => (await loadYaml())(text, 'greet.tool.yaml', SIDECAR)

it('reads what a sidecar may say', async () => {
  const { value, problems } = await read(`
description: Greets.
mcp:
  title: Greeter
  icons: [{src: 'https://example.com/a.png'}]
  annotations: {readOnlyHint: true}
  _meta: {team: a}
  input_schema: {name: string}
  output_schema: {type: object, properties: {greeting: {type: string}}}
runtime:
  env: {LANG: C}
  args: [--fast]
  timeout: 500ms
`)
  expect(problems).toEqual([])
  expect(value).toEqual({
    description: 'Greets.',
    mcp: {
      title: 'Greeter',
      icons: [{ src: 'https://example.com/a.png' }],
      annotations: { readOnlyHint: true },
      _meta: { team: 'a' },
      input_schema: { type: 'object', properties: { name: { type: 'string' } } },
      output_schema: { type: 'object', properties: { greeting: { type: 'string' } } },
    },
    runtime: { env: { LANG: 'C' }, args: ['--fast'], timeout: 500 },
  })
})

it('gives every problem its line', async () => {
  const { problems } = await read(`descripton: x
mcp:
  annotations: {readonlyHint: true}
  input_schema:
    name: strng
runtime:
  env:
    LEVEL: 1
description: ' '
`)
  expect(problems.map(({ line, message, hint }) => ({ line, message, hint }))).toEqual([
    { line: 1, message: 'unknown key `descripton`', hint: 'did you mean `description`?' },
    { line: 3, message: 'unknown key `readonlyHint`', hint: 'did you mean `readOnlyHint`?' },
    {
      line: 5,
      message: '`mcp.input_schema.name` must be a type, not "strng"',
      hint: 'did you mean name: string?',
    },
    {
      line: 8,
      message: expect.stringContaining('`runtime.env.LEVEL`'),
      hint: expect.stringContaining('"1"'),
    },
    { line: 9, message: expect.stringContaining('`description`'), hint: undefined },
  ])
})

it('reads an empty file as nothing said', async () => {
  expect(await read('# later\n')).toMatchObject({ value: {}, problems: [] })
})
