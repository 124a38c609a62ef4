import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeCapsule } from './capsule-kit.ts'
import { connectHttp } from './clients.ts'
import { eventually, makeProject, type Project } from './project.ts'

/** Every file below a folder of Orla's home. */
function filesIn(project: Project, folder: string): string[] {
  const home = join(project.env.ORLA_HOME ?? '', folder)
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('what Orla keeps for itself', () => {
  it.each([
    ['bits flipped', (bytes: Buffer) => bytes.map((byte, at) => (at % 97 === 41 ? byte ^ 0x10 : byte))],
    ['its second half zero', (bytes: Buffer) => Buffer.from(bytes).fill(0, bytes.length >> 1)],
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['nothing', () => Buffer.alloc(0)],
  ])('may be damaged: compiled code with %s is made again', async (_title, damage) => {
    const project = makeProject({ 'tools/a.sh': '#!/bin/sh\necho a\n' })
    await project.orla(['list'])
    const files = filesIn(project, 'cache/code')
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) writeFileSync(file, damage(readFileSync(file)))
    expect(await project.orla(['list'])).toMatchObject({ status: 0, stdout: expect.stringContaining('a.sh') })
  })

  it('may be damaged: what an MCP server offered is asked for again', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'tools/box/tool.yaml':
        'name: box\nversion: 1.0.0\ndescription: A server\nentrypoint: main\nruntime: {mode: capsule, handshake: mcp}\n',
      'tools/box/main': `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const send = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  if (method === 'initialize') send({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'b', version: '1' } })
  if (method === 'tools/list') send({ tools: [{ name: 'hi', inputSchema: { type: 'object' } }] })
  if (method === 'tools/call') send({ content: [{ type: 'text', text: 'hi' }] })
}).on('close', () => process.exit())
`,
    })
    expect(await project.orla(['call', 'box.hi'])).toMatchObject({ status: 0, stdout: 'hi\n' })
    for (const text of ['{}', '[null]', '[{"name":5}]', '{']) {
      for (const file of filesIn(project, 'cache/offered')) writeFileSync(file, text)
      expect(await project.orla(['list'])).toMatchObject({
        status: 0,
        stdout: expect.not.stringContaining('undefined'),
      })
      expect(await project.orla(['call', 'box.hi'])).toMatchObject({ status: 0 })
    }
  })
})

describe('a capsule that misbehaves on its pipes', () => {
  const hello = '{"jsonrpc":"2.0","method":"orla.hello","params":{"name":"NAME","version":"VERSION"}}'

  it('Q80: one that closes its output is found out and replaced', async () => {
    const program = `#!/bin/sh\necho '${hello}'\nread -r line\nexec >&-\nexec sleep 600\n`
    const project = makeCapsule({ program, restart: '{base_ms: 5, cap_ms: 10, limit: 2}' })
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    const answer = await client.call('worker')
    expect([answer._meta?.['orla/reason'], answer.content[0]?.text]).toEqual([
      'crashed',
      expect.stringContaining('closed its output'),
    ])
  })

  it('one that floods with hellos is told of once', async () => {
    const program = `#!/bin/sh\necho '${hello}'\nhead -c 2000000 /dev/zero | tr '\\0' '\\n' | sed 's/^/x/' | head -20000 | sed 's/.*/${hello.replaceAll('/', '\\/')}/'\ncat >/dev/null\n`
    const project = makeCapsule({ program, runtime: ['start: eager'] })
    const server = await project.serve()
    await server.record(({ msg }) => /second time/.test(msg))
    await eventually(
      async () => (await project.orla(['capsule', 'list'])).stdout.includes('READY'),
      'it is still ready',
    )
    expect(server.records.filter(({ msg }) => /second time/.test(msg))).toHaveLength(1)
  })
})
