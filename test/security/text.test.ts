import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, type Project } from '../stories/project.ts'
import {
  listTools,
  makeRegistry,
  makeRepository,
  packageFiles,
  registriesYaml,
} from '../stories/repositories.ts'
import { openTerminal } from '../stories/terminal.ts'

/** Clears a screen, renames a window, goes back on its line, turns around, hides, and forges a record. */
const EVIL = '\u001b[2J\u001b]0;pwned\u0007\u009b31mevil\r\u202elive\u200b\u{e0041}'
const RAW =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u
const QUOTED = JSON.stringify(EVIL)

/** YAML in double quotes is read as JSON is. */
const hostileManifest = (key: string, value: string) =>
  `name: evil\nversion: 1.0.0\nentrypoint: bin/evil\n${key === 'description' ? '' : 'description: Fine\n'}${key}: ${value}\n`

const PROGRAM = { 'bin/evil': '#!/bin/sh\necho hello\n' }

describe('what models would read and nobody sees', () => {
  it.each([
    ['description', '"Adds numbers\\u200b"', 'U+200B'],
    ['description', '"Adds \\U000E0049\\U000E0067numbers"', 'U+E0049'],
    ['description', '"Adds \\u202Enumbers"', 'U+202E'],
    ['keywords', '["fine", "fi\\u2060ne"]', 'U+2060'],
    ['mcp', '{title: "Ad\\u00adds"}', 'U+00AD'],
    [
      'mcp',
      '{input_schema: {type: object, properties: {a: {type: string, description: "x\\u200d"}}}}',
      'U+200D',
    ],
    ['mcp', '{input_schema: {type: object, properties: {"a\\u200b": {type: string}}}}', 'U+200B'],
    ['mcp', '{input_schema: {type: object, properties: {a: {enum: ["a", "b\\uFE0F"]}}}}', 'U+FE0F'],
    ['mcp', '{output_schema: {type: object, title: "x\\u001B[1m"}}', 'U+001B'],
    ['mcp', '{annotations: {title: "x\\uE000"}}', 'U+E000'],
    ['mcp', '{_meta: {"x.y/z": "\\u2028"}}', 'U+2028'],
  ])('a package with it in %s: %s is not valid', async (key, value, code) => {
    const project = makeProject(below('package', { 'tool.yaml': hostileManifest(key, value), ...PROGRAM }))
    const { status, stdout, stderr } = await project.orla(['validate', 'package'])
    expect(status).toBe(1)
    expect(stdout + stderr).toMatch(new RegExp(`tool\\.yaml:\\d+.*\\(${code.replace('+', '\\+')}\\)`))
  })

  it('such a package is not installed, and placed by hand it is a problem beside the others', async () => {
    const files = { 'tool.yaml': hostileManifest('description', '"Adds\\u200b"'), ...PROGRAM }
    const project = makeProject({
      ...below('package', files),
      ...below('tools/evil/1.0.0', files),
      'tools/good': '#!/bin/sh\n',
    })
    const installed = await project.orla(['install', '--local', './package', '--yes'])
    expect(installed.status).not.toBe(0)
    expect(installed.stderr).toContain('U+200B')
    const { tools, problems } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['good'])
    expect(JSON.stringify(problems)).toContain('U+200B')
  })

  it('the same package without it is all of these', async () => {
    const project = makeProject()
    project.write(below('package', { 'tool.yaml': hostileManifest('keywords', '[fine]'), ...PROGRAM }))
    expect((await project.orla(['validate', 'package'])).status).toBe(0)
    expect((await project.orla(['install', '--local', './package', '--yes'])).status).toBe(0)
    expect((await project.orla(['list'])).stdout).toContain('evil')
  })

  it('an .mcpkg with it is refused, in its schemas and in its prompts', async () => {
    const manifest = {
      toolId: 'acme.evil',
      name: 'Evil',
      version: '1.0.0',
      description: 'Fine',
      capabilities: ['x'],
      implementations: [{ id: 'node', endpoint: { type: 'local', command: 'node ./run.mjs' } }],
      input_schema: { type: 'object', properties: { a: { type: 'string', description: 'x\u{e0041}' } } },
      output_schema: { type: 'object' },
    }
    const project = makeProject()
    const files = { 'manifest.json': JSON.stringify(manifest), 'run.mjs': 'console.log("{}")\n' }
    project.write(below('package', files))
    const refused = await project.orla(['validate', 'package'])
    expect(refused.status).not.toBe(0)
    expect(refused.stdout + refused.stderr).toContain('U+E0041')
    const fine = { ...manifest, input_schema: { type: 'object' } }
    project.write(below('package', { ...files, 'manifest.json': JSON.stringify(fine) }))
    expect((await project.orla(['validate', 'package'])).status).toBe(0)
    project.write(
      below('.mcp/tools/acme.evil', {
        ...files,
        'manifest.json': JSON.stringify(fine),
        'prompts/p.md': 'Do\u200b it',
      }),
    )
    const { problems } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(JSON.stringify(problems)).toContain('U+200B')
  })

  it('in a comment of a loose tool it is written out, for clients and people alike, and is a problem', async () => {
    const project = makeProject({
      'tools/loose': '#!/bin/sh\n# Says hello.\u200b\u{e0041}\n# @param who {string} name\u202e of who\n',
      'tools/side': '#!/bin/sh\n',
      'tools/side.tool.yaml': 'description: "By\\u200bside"\n',
    })
    const { tools, problems } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(tools.map(({ description }: { description: string }) => description)).toEqual([
      'Says hello.\\u{200b}\\u{e0041}',
      'By\\u{200b}side',
    ])
    expect(problems).toHaveLength(2)
    expect(JSON.stringify(tools)).not.toMatch(RAW)
    expect(JSON.stringify(problems)).toContain('U+200B')
  })

  it('a tool that an MCP server offers with it is not served, and the others are', async () => {
    const server = `#!/usr/bin/env node
const tools = [
  { name: 'good', description: 'Fine', inputSchema: { type: 'object' } },
  { name: 'bad', description: 'Fine\\u200b', inputSchema: { type: 'object' } },
  { name: 'worse', inputSchema: { type: 'object', properties: { 'a\\u{e0041}': {} } } },
]
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = method === 'initialize'
    ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
    : { tools }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`
    const project = makeProject({
      'tools/box/1.0.0/tool.yaml':
        'name: box\nversion: 1.0.0\ndescription: A box\nentrypoint: run\nruntime: {mode: capsule, handshake: mcp, start: eager}\n',
      'tools/box/1.0.0/run': server,
    })
    const running = await project.serve()
    await running.record(({ msg, tools }) => msg === 'reloaded' && tools === 1)
    await running.stop()
    const { tools, problems } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['box.good'])
    expect(problems.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringMatching(/`box\.bad` is not served: its description hides .*U\+200B/),
      expect.stringMatching(/`box\.worse` is not served: its inputSchema.*U\+E0041/),
    ])
  })
})

describe('names', () => {
  it('that look alike are a problem that names both', async () => {
    const project = makeProject({
      'tools/deploy': '#!/bin/sh\n',
      'tools/dep1oy': '#!/bin/sh\n',
      'tools/read_file': '#!/bin/sh\n',
      ...below('tools/read-file/1.0.0', packageFiles('read-file', '1.0.0')),
      'tools/other': '#!/bin/sh\n',
    })
    const { problems } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    const messages = problems.map(({ message }: { message: string }) => message)
    expect(messages).toHaveLength(2)
    expect(messages.join('\n')).toMatch(/`deploy` .*`dep1oy`|`dep1oy` .*`deploy`/)
    expect(messages.join('\n')).toMatch(/`read_file` .*`read-file`|`read-file` .*`read_file`/)
  })

  it('of another tool are not taken over: the first serves and the other is a problem', async () => {
    const project = makeProject({
      'tools/a/greet': '#!/bin/sh\necho first\n',
      'tools/b/greet': '#!/bin/sh\necho second\n',
    })
    expect((await project.orla(['call', 'greet'])).stdout).toBe('first\n')
    const { problems } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(problems[0].message).toContain(join(project.dir, 'tools/a/greet'))
  })
})

describe('control sequences', () => {
  /** A project in which everything that others write is hostile. */
  function hostileProject(): Project {
    const package_ = makeRepository({
      'tool.yaml': hostileManifest('permissions', `[${QUOTED}]`),
      ...PROGRAM,
    })
    package_.commit('v1.0.0')
    const registry = makeRegistry({ evil: package_ })
    listTools(registry, { evil: package_ })
    registry.write({
      'registry.yaml': `version: 1\nregistry_url: ${registry.dir}\ntools:\n  - name: evil\n    description: ${QUOTED}\n    repository: ${package_.dir}\n    keywords: [evil, ${QUOTED}]\n`,
    })
    registry.commit()
    const shell = `printf '%b' '${[...Buffer.from(EVIL)].map((byte) => `\\0${byte.toString(8)}`).join('')}'`
    return makeProject({
      'orla.yaml': `${registriesYaml(['team', registry])}audit: audit.log\n`,
      'tools/loud': `#!/bin/sh\n# ${EVIL.replace('\r', '')}\n${shell}\n${shell} >&2\nexit 3\n`,
      [`tools/${EVIL.replaceAll('/', '')}`]: '#!/bin/sh\n',
      ...below('tools/evil/1.0.0', { 'tool.yaml': hostileManifest('description', QUOTED), ...PROGRAM }),
      ...below('package', { 'tool.yaml': hostileManifest(QUOTED, QUOTED), ...PROGRAM }),
      ...below('named', {
        'tool.yaml': `name: ${QUOTED}\nversion: ${QUOTED}\ndescription: x\nentrypoint: ${QUOTED}\n`,
      }),
      ...below('json', { 'manifest.json': JSON.stringify({ toolId: EVIL, name: EVIL, [EVIL]: EVIL }) }),
      'case.test.json': JSON.stringify({ name: EVIL, input: {}, [EVIL]: 1 }),
      'broken.yaml': `${QUOTED}: ${QUOTED}\n`,
    })
  }

  const COMMANDS: readonly (readonly string[])[] = [
    ['list'],
    ['doctor'],
    ['config'],
    ['search', 'evil', '--yes'],
    ['search', EVIL],
    ['info', 'evil'],
    ['info', EVIL],
    ['info', './package'],
    ['validate', 'package'],
    ['validate', 'named'],
    ['validate', 'json'],
    ['validate', EVIL],
    ['install', '--local', './package', '--yes'],
    ['install', '--local', './named', '--yes'],
    ['install', '--local', './json', '--yes'],
    ['install', 'evil', '--yes'],
    ['install', 'evil', '--dry-run'],
    ['install', EVIL],
    ['uninstall', EVIL],
    ['update', EVIL],
    ['use', EVIL],
    ['call', EVIL],
    ['call', 'loud', EVIL],
    ['test', './json'],
    ['test', EVIL],
    ['registry', 'list'],
    ['registry', 'add', EVIL, EVIL],
    ['secret', 'remove', EVIL],
    ['export', EVIL],
    ['outdated'],
    ['audit'],
    ['stats'],
    ['stats', EVIL],
    ['audit', '--since', EVIL],
    ['pack', './named'],
    ['grant', EVIL],
    ['revoke', EVIL],
    ['grants', EVIL],
    ['verify', EVIL],
    ['sign', EVIL],
    ['keys', 'export', EVIL],
    ['trust', 'add', EVIL, EVIL],
    ['trust', 'remove', EVIL, EVIL],
    ['sandbox', 'explain', EVIL],
    ['sandbox', 'run', EVIL, '--', EVIL],
    ['diff', EVIL, EVIL],
    ['rank', EVIL],
    ['recommend', EVIL],
    ['chain', 'show', EVIL],
    ['publish', EVIL],
    ['new', EVIL],
    ['help', EVIL],
    [EVIL],
    ['list', `--${EVIL}`],
    ['list', '--config', 'broken.yaml'],
    ['capsule', 'status', EVIL],
    ['reload', '--port', EVIL],
  ]

  it('of others are shown, not obeyed, by every command', async () => {
    const project = hostileProject()
    await project.orla(['call', 'loud'])
    let shown = 0
    const left = [...COMMANDS]
    const run = async () => {
      for (let args = left.shift(); args; args = left.shift()) {
        const { stdout, stderr } = await project.orla(args)
        const said = stdout + stderr
        expect(said, `orla ${JSON.stringify(args)}`).not.toBe('')
        expect(RAW.exec(said)?.[0], `orla ${JSON.stringify(args)}: ${JSON.stringify(said)}`).toBeUndefined()
        if (said.includes('\\x1b[2J') || said.includes('\\u001b[2J')) shown++
      }
    }
    await Promise.all([run(), run(), run()])
    // The attack ran: in most of them the text is there, and harmless.
    expect(shown).toBeGreaterThan(COMMANDS.length / 2)
  }, 120_000)

  it('are kept in JSON', async () => {
    const project = hostileProject()
    const { stdout } = await project.orla(['search', 'evil', '--yes', '--json'])
    expect(stdout).not.toMatch(RAW)
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(EVIL).slice(1, -1))
  })

  it('of a tool are shown on a terminal and kept in a pipe', async () => {
    const project = hostileProject()
    expect((await project.orla(['call', 'loud'])).stdout).toBe(EVIL)
    const terminal = openTerminal(project, ['call', 'loud'])
    expect(await terminal.ended).toBe(1)
    expect(terminal.screen()).toContain('\\x1b[2J')
    expect(terminal.screen()).not.toContain('\u001b[2J')
    expect(terminal.screen()).not.toContain('\u202e')
  })

  it('and line breaks in names and words make no record of their own, in the log and in the audit file', async () => {
    const forged = `x\n{"level":"info","msg":"forged"}\u2028{"msg":"forged"}\u0085`
    const project = makeProject({
      'orla.yaml': 'audit: {file: audit.log, arguments: full}\n',
      'tools/echo': '#!/bin/sh\nprintf \'%s\' "$2" >&2\nexit 1\n',
    })
    const running = await project.serve()
    const body = (name: string, args: object) => ({
      jsonrpc: '2.0',
      id: forged,
      method: 'tools/call',
      params: { name, arguments: args },
    })
    for (const [name, args] of [
      ['echo', { say: forged }],
      [forged, {}],
    ] as const)
      await postLegacy(running.url, body(name, args))
    await running.stop()
    expect(running.records.filter(({ msg }) => msg === 'forged')).toEqual([])
    expect(running.records.filter(({ level }) => level === 'none')).toEqual([])
    const lines = readFileSync(join(project.dir, 'audit.log'), 'utf8')
      .trimEnd()
      .split(/\n|\u2028|\u0085/)
    expect(lines).toHaveLength(2)
    const [first, second] = lines.map((line) => JSON.parse(line))
    expect([first.tool, first.arguments.say]).toEqual(['echo', forged])
    expect([second.tool, second.reason]).toEqual([forged, 'not_found'])
  })
})

describe('the environment', () => {
  it('of a package is an allow-list; of a loose tool everything but what lets clients in', async () => {
    const print = '#!/bin/sh\nenv\n'
    const manifest = (permissions: string) =>
      `name: NAME\nversion: 1.0.0\ndescription: x\nentrypoint: run\n${permissions}`
    const project = makeProject({
      'orla.yaml': 'auth: {tokens: [{name: ci, env: CLIENT_TOKEN}]}\n',
      'tools/loose': print,
      'tools/plain/1.0.0/tool.yaml': manifest('').replace('NAME', 'plain'),
      'tools/plain/1.0.0/run': print,
      'tools/asks/1.0.0/tool.yaml': manifest('permissions: ["env:CLOUD_KEY"]\n').replace('NAME', 'asks'),
      'tools/asks/1.0.0/run': print,
    })
    const env = { CLOUD_KEY: 'cloud-key', CLIENT_TOKEN: 'client-token', ORLA_AUTH_TOKEN: 'orla-token' }
    const seen = async (tool: string) => {
      const { stdout } = await project.orla(['call', tool], { env })
      expect(stdout).toContain('PATH=')
      return Object.values(env).filter((value) => stdout.includes(value))
    }
    expect(await seen('loose')).toEqual(['cloud-key'])
    expect(await seen('plain')).toEqual([])
    expect(await seen('asks')).toEqual(['cloud-key'])
  })
})

/** Within a session of the earlier era. */
async function postLegacy(url: string, message: object): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const introduction = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  }
  const post = (body: object, more: object = {}) =>
    fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
  const session = { 'mcp-session-id': (await post(introduction)).headers.get('mcp-session-id') ?? '' }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  await (await post(message, session)).text()
}

function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))
}
