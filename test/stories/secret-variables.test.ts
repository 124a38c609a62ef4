import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectHttp } from './clients.ts'
import { packageFiles } from './mcpkg-kit.ts'
import { makeProject, type Project } from './project.ts'

const STORED = 'sw0rdfish-stored'
const VARIABLE = 'sw0rdfish-variable'
const SAY =
  'console.log(JSON.stringify({ set: typeof process.env.API_KEY, length: process.env.API_KEY?.length }))'

const yaml = (name: string, permissions: string, more = '') =>
  `name: ${name}\nversion: 1.0.0\ndescription: Says.\nentrypoint: bin/say\npermissions: [${permissions}]\n${more}`

const CAPSULE = `#!/usr/bin/env node
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
console.error('key', process.env.API_KEY)
say({ method: 'orla.hello', params: { name: 'stays', version: '1.0.0' } })
process.stdin.on('data', (text) => {
  for (const line of String(text).split('\\n').filter(Boolean)) {
    const { id, method } = JSON.parse(line)
    if (method === 'tools/call') say({ id, result: { length: process.env.API_KEY?.length, key: process.env.API_KEY } })
    else if (id !== undefined) say({ id, result: {} })
  }
})
`

function makeTools(): Project {
  const local = packageFiles('acme.text.local', '1.0.0', { permissions: ['secret:API_KEY'] })
  return makeProject({
    'orla.yaml': '',
    '.mcp/tools/acme.text.local/manifest.json': local['manifest.json'] ?? '',
    '.mcp/tools/acme.text.local/run.mjs':
      'console.error(process.env.API_KEY); console.log(JSON.stringify({ length: process.env.API_KEY?.length, key: process.env.API_KEY }))',
    'tools/simple/tool.yaml': yaml('simple', 'secret:API_KEY'),
    'tools/simple/bin/say': `#!/usr/bin/env node\nconsole.log('key ' + process.env.API_KEY + ' ' + process.env.API_KEY?.length)\n`,
    'tools/stranger/tool.yaml': yaml('stranger', ''),
    'tools/stranger/bin/say': `#!/usr/bin/env node\n${SAY}\n`,
    'tools/own/tool.yaml': yaml('own', 'secret:ORLA_HOME'),
    'tools/own/bin/say': '#!/bin/sh\necho "home ${ORLA_HOME:-unset}"\n',
    'tools/stays/tool.yaml': yaml('stays', 'secret:API_KEY', 'runtime: {mode: capsule}\n'),
    'tools/stays/bin/say': CAPSULE,
  })
}

describe('secret:NAME', { timeout: 60_000 }, () => {
  it('Q90: gives programs of every kind the stored value, and nobody else sees it', async () => {
    const project = makeTools()
    await project.orla(['secret', 'set', 'API_KEY'], { stdin: STORED })
    const server = await project.serve(['--port', '0', '--log-level', 'debug'])
    const client = await connectHttp('v2-modern', server.url)
    const said = async (name: string) => JSON.stringify(await client.call(name))
    for (const name of ['acme.text.local', 'simple', 'stays']) {
      const text = await said(name)
      expect(text).toContain(String(STORED.length))
      expect(text).toContain('[secret]')
      expect(text).not.toContain('sw0rdfish')
    }
    expect(await said('stranger')).toContain('undefined')
    expect(await said('own')).toContain('home unset')
    const logs = await project.orla(['capsule', 'logs', 'stays'])
    expect(logs.stdout).toContain('key [secret]')
    expect(JSON.stringify(server.records)).not.toContain('sw0rdfish')
  })

  it('Q90: a variable wins over what is stored', async () => {
    const project = makeTools()
    await project.orla(['secret', 'set', 'API_KEY'], { stdin: STORED })
    const env = { API_KEY: VARIABLE }
    for (const name of ['acme.text.local', 'simple', 'stays']) {
      const { status, stdout } = await project.orla(['call', name], { env })
      expect([status, stdout]).toEqual([0, expect.stringContaining(String(VARIABLE.length))])
      expect(stdout).not.toContain('sw0rdfish')
    }
  })
})

it('Q100: stored secrets that others can read are made private, and someone is told', async () => {
  const project = makeProject()
  await project.orla(['secret', 'set', 'API_KEY'], { stdin: STORED })
  const file = join(project.env.ORLA_HOME ?? '', 'secrets.json')
  chmodSync(file, 0o644)
  const list = await project.orla(['secret', 'list'])
  expect([list.stdout, list.stderr]).toEqual([
    'API_KEY\n',
    expect.stringMatching(/could be read by other users/),
  ])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await project.orla(['secret', 'list'])).stderr).toBe('')
})
