import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chainFiles } from './chain-kit.ts'
import { connectHttp } from './clients.ts'
import { makeProject, ok, type Project } from './project.ts'

/** Every story here starts the program many times. */
const MANY_STARTS_MS = 60_000

const tool = (name: string, output: string, body: string, more = '') => ({
  [`tools/${name}/tool.yaml`]: `name: ${name}\nversion: 1.0.0\ndescription: Does ${name}\nentrypoint: main\nmcp:\n  input_schema: {type: object${more}}\n  output_schema: {type: object, properties: {${output}: {}}}\n`,
  [`tools/${name}/main`]: `#!/usr/bin/env node\nconst given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))\nconsole.log(JSON.stringify(${body}))\n`,
})
const TOOLS = {
  ...tool('find', 'id', '{ id: `customer-${given.name}-4711`, matches: 1 }'),
  ...tool(
    'fetch',
    'record',
    '{ record: { text: `all about ${given.customer}` }, detail: given.detail }',
    ', properties: {customer: {type: string}, detail: {enum: [short, long]}}',
  ),
  ...tool('mail', 'sent', '{ sent: given.body.length }'),
}

/** The work a person has a model do again and again. */
const NAMES = ['ada', 'bob', 'cleo']

async function work(project: Project, names: readonly string[] = NAMES): Promise<void> {
  const server = await project.serve()
  const client = await connectHttp('v2-modern', server.url)
  for (const name of names) {
    const call = async (tool: string, args: Record<string, unknown>) =>
      (await client.call(tool, args)).structuredContent as Record<string, string> & {
        record: { text: string }
      }
    const { id } = await call('find', { name, password: 'hunter22' })
    const { record } = await call('fetch', { customer: id, detail: 'short' })
    await call('mail', { body: record.text, to: `${name}@example.org` })
  }
  await client.close()
  await server.stop()
}

const calls = (project: Project) => join(project.env.ORLA_HOME ?? '', 'calls')
const recorded = (project: Project) => readFileSync(join(calls(project), 'calls.jsonl'), 'utf8')

describe('orla chain suggest', { timeout: MANY_STARTS_MS }, () => {
  it('Q122: finds what was done again and again, and writes a chain that validates, serves and does it', async () => {
    const project = makeProject({ 'orla.yaml': 'record_calls: hashed\n', ...TOOLS })
    await work(project)
    // Nothing of what was said can be read, and nobody else may look.
    expect(recorded(project)).not.toMatch(/"(?:ada|bob|cleo)|customer-|hunter22|example\.org|all about/)
    expect(statSync(join(calls(project), 'calls.jsonl')).mode & 0o777).toBe(0o600)
    expect(statSync(join(calls(project), 'key')).mode & 0o777).toBe(0o600)

    const { suggestions } = JSON.parse(ok(await project.orla(['chain', 'suggest', '--json'])))
    expect(suggestions).toMatchObject([
      {
        tool_id: 'local.chains.find_fetch_mail',
        version: '0.1.0',
        score: 0.75,
        seen: 3,
        different: 3,
        first_tool_calls: 3,
        status: 'written',
        folder: join(project.dir, 'chains/local.chains.find_fetch_mail'),
      },
    ])
    const folder = 'chains/local.chains.find_fetch_mail'
    const manifest = JSON.parse(readFileSync(join(project.dir, folder, 'manifest.json'), 'utf8'))
    expect(manifest.chain).toEqual([
      { step: 'find', tool: 'find', inputMapping: { name: '$.input.name', password: '$.input.password' } },
      { step: 'fetch', tool: 'fetch', inputMapping: { customer: '$.find.id', detail: 'short' } },
      { step: 'mail', tool: 'mail', inputMapping: { body: '$.fetch.record.text', to: '$.input.to' } },
    ])
    expect(manifest.input_schema.required).toEqual(['name', 'password', 'to'])
    expect(ok(await project.orla(['validate', folder]))).toMatch(/is a valid package/)
    ok(await project.orla(['install', '--local', folder, '--link']))
    const args = '{"name":"dora","password":"x","to":"dora@example.org"}'
    expect(JSON.parse(ok(await project.orla(['call', 'local.chains.find_fetch_mail', args])))).toEqual({
      sent: 'all about customer-dora-4711'.length,
    })
    // It is there now; asking again changes nothing.
    expect(ok(await project.orla(['chain', 'suggest']))).toMatch(/is served already/)
    expect(readdirSync(join(project.dir, 'chains'))).toHaveLength(1)
  })

  it('Q122: says why each argument is mapped as it is, and writes nothing when told so', async () => {
    const project = makeProject({ 'orla.yaml': 'record_calls: full\n', ...TOOLS })
    await work(project)
    expect(recorded(project)).toMatch(/customer-ada-4711/)
    expect(recorded(project)).not.toMatch(/hunter22/)
    const told = ok(await project.orla(['chain', 'suggest', '--dry-run']))
    expect(told).toMatch(/customer +\$\.find\.id +equal in all 3 runs, 3 different values/)
    expect(told).toMatch(/detail +"short" +always the same/)
    expect(told).toMatch(/to +\$\.input\.to +3 different values/)
    expect(existsSync(join(project.dir, 'chains'))).toBe(false)
    const { suggestions } = JSON.parse(
      ok(await project.orla(['chain', 'suggest', '--since', '2020-01-01', '--json', '--dry-run'])),
    )
    expect(suggestions).toHaveLength(1)
    expect((await project.orla(['chain', 'suggest', '--since', 'soon'])).status).toBe(2)
  })

  it('Q122: a chain of the same tools that does it otherwise gets its next version', async () => {
    const project = makeProject({
      'orla.yaml': 'record_calls: hashed\n',
      ...TOOLS,
      ...chainFiles('acme.crm.write', [
        { step: 'a', tool: 'find', inputMapping: { name: '$.input.who' } },
        { step: 'b', tool: 'fetch', inputMapping: { customer: '$.a.id', detail: 'long' } },
        { step: 'c', tool: 'mail', inputMapping: { body: '$.b.record.text' } },
      ]),
    })
    await work(project)
    const { suggestions } = JSON.parse(ok(await project.orla(['chain', 'suggest', '-o', 'drafts', '--json'])))
    expect(suggestions).toMatchObject([{ tool_id: 'acme.crm.write', version: '1.1.0', status: 'written' }])
    ok(await project.orla(['validate', 'drafts/acme.crm.write']))
    const listed = ok(await project.orla(['chain', 'list']))
    expect(listed).toMatch(/acme\.crm\.write +1\.0\.0 +served +find → fetch → mail/)
    expect(ok(await project.orla(['chain', 'show', 'acme.crm.write']))).toMatch(
      /2\. b {2}fetch\n +customer +\$\.a\.id/,
    )
    expect((await project.orla(['chain', 'show', 'acme.crm.writ'])).status).toBe(4)
  })

  it('Q122: records nothing unless it is told to, and says how', async () => {
    const project = makeProject({ 'orla.yaml': '', ...TOOLS })
    await work(project, ['ada', 'bob'])
    expect(existsSync(calls(project))).toBe(false)
    const { status, stdout, stderr } = await project.orla(['chain', 'suggest'])
    expect([status, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/`record_calls` is off[\s\S]*record_calls: hashed/)
    expect(existsSync(calls(project))).toBe(false)
  })

  it('Q122: calls by command belong together, and a stored secret is not kept in any form', async () => {
    const project = makeProject({ 'orla.yaml': 'record_calls: full\n', ...TOOLS })
    ok(await project.orla(['secret', 'set', 'API'], { stdin: 'customer-bob' }))
    for (const name of ['ada', 'bob', 'cleo']) {
      const { id } = JSON.parse(ok(await project.orla(['call', 'find', '--arg', `name=${name}`])))
      ok(await project.orla(['call', 'fetch', '--arg', `customer=${id}`]))
    }
    expect(recorded(project)).not.toMatch(/customer-bob/)
    expect(recorded(project).match(/customer-ada-4711/g)?.length).toBeGreaterThan(1)
    const { suggestions } = JSON.parse(ok(await project.orla(['chain', 'suggest', '--json', '--dry-run'])))
    expect(suggestions).toMatchObject([{ tool_id: 'local.chains.find_fetch', seen: 2 }])
  })

  it('Q122: where nothing can be kept, calls go on and the log says so once', async () => {
    const project = makeProject({ 'orla.yaml': 'record_calls: hashed\n', ...TOOLS })
    mkdirSync(project.env.ORLA_HOME ?? '', { recursive: true })
    writeFileSync(calls(project), 'in the way')
    const server = await project.serve()
    const client = await connectHttp('v1', server.url)
    for (const name of NAMES) expect((await client.call('find', { name })).isError).not.toBe(true)
    await server.record(({ msg }) => msg.startsWith('calls are not recorded'))
    await client.close()
    await server.stop()
    expect(server.records.filter(({ msg }) => msg.startsWith('calls are not recorded'))).toHaveLength(1)
    expect(server.records.filter(({ level }) => level === 'error')).toEqual([])
    expect((await project.orla(['call', 'find', '--arg', 'name=ada'])).status).toBe(0)
    expect((await project.orla(['chain', 'suggest'])).status).toBe(0)
  })
})
