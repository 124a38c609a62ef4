import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectHttp } from './clients.ts'
import { eventually, makeProject } from './project.ts'

const SH = '#!/bin/sh\necho ok\n'

interface Listing {
  tools: { name: string; file: string; description: string; input_schema: unknown }[]
  problems: { file: string; message: string; hint?: string }[]
}

describe('discovery', () => {
  it('Q1, Q2, Q3, Q4: every executable is a tool, in sub-folders too, named without extension', async () => {
    const project = makeProject({
      'tools/ls.sh': SH,
      'tools/deep/er/summarize.py': '#!/usr/bin/env python3\nprint("py")\n',
      'tools/unbuffered.py': '#!/usr/bin/env -S python3 -u\nprint("u")\n',
      'tools/plain-env.py': '#!/usr/bin/env python3 -u\nprint("p")\n',
      'tools/node.mjs': '#!/usr/bin/env node\nconsole.log("js")\n',
      'tools/notes.txt': 'not executable',
    })
    copyFileSync('/bin/echo', join(project.dir, 'tools/convert'))
    chmodSync(join(project.dir, 'tools/convert'), 0o710)
    const listing = JSON.parse((await project.orla(['list', '--json'])).stdout) as Listing
    expect(listing.tools.map(({ name }) => name)).toEqual([
      'convert',
      'ls',
      'node',
      'plain-env',
      'summarize',
      'unbuffered',
    ])
    expect(listing.problems).toEqual([])
    for (const [name, printed] of [
      ['ls', 'ok\n'],
      ['summarize', 'py\n'],
      ['unbuffered', 'u\n'],
      ['plain-env', 'p\n'],
      ['node', 'js\n'],
    ] as const) {
      expect((await project.orla(['call', name])).stdout).toBe(printed)
    }
    expect((await project.orla(['call', 'convert', '{"args":["a","b"]}'])).stdout).toBe('a b\n')
  })

  it('describes a tool by its first comment, and a sidecar wins', async () => {
    const project = makeProject({
      'tools/greet.sh':
        '#!/bin/sh\n# Greets someone.\n# @param name {string} who\n# @param [times=1] {integer} how often\necho "$@"\n',
      'tools/sum.py':
        '#!/usr/bin/env python3\n"""Adds numbers."""\nimport json, sys\nprint(json.dumps({"sum": 3}))\n',
      'tools/sum.tool.yaml':
        'description: Adds two numbers\nmcp:\n  title: Sum\n  output_schema:\n    type: object\n    properties: {sum: {type: number}}\n    required: [sum]\n',
      'tools/bare': '#!/bin/sh\n',
    })
    const { tools } = JSON.parse((await project.orla(['list', '--json'])).stdout) as Listing
    const named = Object.fromEntries(tools.map((tool) => [tool.name, tool]))
    expect(named.greet?.description).toBe('Greets someone.')
    expect(named.greet?.input_schema).toMatchObject({
      properties: { name: { type: 'string', description: 'who' }, times: { type: 'integer', default: 1 } },
      required: ['name'],
    })
    expect(named.sum?.description).toBe('Adds two numbers')
    expect(named.bare?.description).toBe('Runs bare')
    expect((await project.orla(['call', 'greet', '--arg', 'name=Ada'])).stdout).toBe('--name Ada --times 1\n')
    expect(JSON.parse((await project.orla(['call', 'sum'])).stdout)).toEqual({ sum: 3 })
  })

  it('shows a second tool of the same name at start, in list and in doctor', async () => {
    const project = makeProject({ 'tools/a/same.sh': SH, 'tools/b/same.py': '#!/usr/bin/env python3\n' })
    const listed = await project.orla(['list'])
    expect(listed.stdout).toContain('tools/a/same.sh')
    expect(listed.stderr).toMatch(/b\/same\.py.*a\/same\.sh/s)
    expect((await project.orla(['doctor'])).stdout).toMatch(/same\.py/)
    const server = await project.serve()
    await server.record(({ level, file }) => level === 'warn' && String(file).includes('same.py'))
    const client = await connectHttp('v1', server.url)
    expect(await client.list()).toHaveLength(1)
    expect((await client.call('same')).content[0]?.text).toBe('ok\n')
  })

  it('starts without a tools folder, says so, and picks it up when it appears', async () => {
    const project = makeProject()
    const server = await project.serve()
    await server.record(({ msg }) => /does not exist yet/.test(msg))
    const client = await connectHttp('v2-legacy', server.url)
    expect(await client.list()).toEqual([])
    project.write({ 'elsewhere/late.sh': SH })
    renameSync(join(project.dir, 'elsewhere'), join(project.dir, 'tools'))
    await eventually(() => client.changes() > 0, 'list_changed')
    expect((await client.list()).map(({ name }) => name)).toEqual(['late'])
    rmSync(join(project.dir, 'tools'), { recursive: true })
    await eventually(() => client.changes() > 1, 'list_changed again')
    expect(await client.list()).toEqual([])
  })

  it('survives broken links, loops, sockets, fifos and hostile names', async () => {
    const project = makeProject({
      'tools/good.sh': SH,
      'tools/bad name.sh': SH,
      'tools/esc\u001b[2J.sh': SH,
      'tools/-rf.sh': SH,
    })
    const tools = join(project.dir, 'tools')
    symlinkSync('nowhere', join(tools, 'broken'))
    symlinkSync('.', join(tools, 'loop'))
    symlinkSync('good.sh', join(tools, 'linked'))
    execFileSync('mkfifo', ['-m', '777', join(tools, 'pipe')])
    const socket = createServer().listen(join(tools, 'sock'))
    onTestFinished(() => void socket.close())
    mkdirSync(join(tools, '.hidden'))
    copyFileSync(join(tools, 'good.sh'), join(tools, '.hidden/secret.sh'))
    const listed = await project.orla(['list', '--json'])
    const { tools: found, problems } = JSON.parse(listed.stdout) as Listing
    expect(found.map(({ name }) => name)).toEqual(['-rf', 'good', 'linked'])
    expect(problems.map(({ file }) => file).join('\n')).toMatch(/bad name/)
    expect((await project.orla(['call', 'linked'])).stdout).toBe('ok\n')
    const forPeople = await project.orla(['list'])
    expect(forPeople.stdout + forPeople.stderr).not.toContain('\u001b')
  })

  it('Q10: leaves the inside of a package alone', async () => {
    const project = makeProject({
      'tools/loose.sh': SH,
      'tools/fs/v1/tool.yaml': 'name: fs\n',
      'tools/fs/v1/bin/inner.sh': SH,
    })
    const { tools } = JSON.parse((await project.orla(['list', '--json'])).stdout) as Listing
    expect(tools.map(({ name }) => name)).toEqual(['loose'])
  })

  it('serves 10,000 files', async () => {
    const project = makeProject()
    const files = Array.from({ length: 10_000 }, (_, i) => [`tools/d${i % 50}/t${i}.sh`, `${SH}# ${i}\n`])
    project.write(Object.fromEntries(files))
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    expect(await client.list()).toHaveLength(10_000)
    expect((await client.call('t9999')).content[0]?.text).toBe('ok\n')
  })
})
