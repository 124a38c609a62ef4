import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { connectHttp } from './clients.ts'
import { fixture } from './mcpkg-kit.ts'
import { makeProject, NODE, ORLA, ok, type Project } from './project.ts'
import { makeRegistry, makeRepository, registriesYaml } from './repositories.ts'

const EXAMPLE = join(dirname(fileURLToPath(import.meta.url)), '../../examples/pipeline')
const TOOLS = ['tools.embeddings.generate', 'tools.pdf.read_local', 'tools.text.clean']
const PIPELINE = 'tools.pdf.pipeline.embed'
const SAMPLE = 'report.pdf'
/** Every story here starts the program many times. */
const MANY_STARTS_MS = 60_000

/** A registry that knows the packages of the example, each from a repository of its own. */
function withRegistry(...names: readonly string[]): Project {
  const repositories = names.map((name) => {
    const repository = makeRepository()
    cpSync(join(EXAMPLE, 'tools', name), repository.dir, { recursive: true })
    repository.commit('v1.0.0')
    return [name, repository] as const
  })
  const project = makeProject({
    'orla.yaml': registriesYaml(['main', makeRegistry(Object.fromEntries(repositories))]),
  })
  // What an argument names must be a file of the project.
  copyFileSync(join(EXAMPLE, 'tools/tools.pdf.read_local/samples', SAMPLE), join(project.dir, SAMPLE))
  return project
}

describe('the pipeline of MCPKG', { timeout: MANY_STARTS_MS }, () => {
  it('Q118, Q119, Q121: its install brings its tools in one plan, and one call reads, cleans and embeds', async () => {
    const project = withRegistry(PIPELINE, ...TOOLS)
    const { planned } = JSON.parse(
      ok(await project.orla(['install', PIPELINE, '--yes', '--dry-run', '--json'])),
    )
    expect(planned.map(({ name }: { name: string }) => name)).toEqual([
      PIPELINE,
      'tools.pdf.read_local',
      'tools.text.clean',
      'tools.embeddings.generate',
    ])
    expect(planned[0]).toMatchObject({
      permissions: [],
      calls: ['tools.pdf.read_local', 'tools.text.clean', 'tools.embeddings.generate'],
      call_permissions: [{ word: 'filesystem:read:arg:path', tools: ['tools.pdf.read_local'] }],
      new_call_permissions: ['filesystem:read:arg:path'],
      required_by: null,
    })
    expect(planned[1]).toMatchObject({ required_by: PIPELINE, permissions: ['filesystem:read:arg:path'] })

    ok(await project.orla(['install', PIPELINE, '--yes']))
    expect(readdirSync(join(project.dir, '.mcp/tools')).sort()).toEqual([...TOOLS, PIPELINE].sort())
    const called = JSON.parse(
      ok(await project.orla(['call', PIPELINE, '--arg', `pdfPath=${join(project.dir, SAMPLE)}`])),
    )
    expect(called.embeddings).toHaveLength(64)
    expect(Math.hypot(...called.embeddings)).toBeCloseTo(1, 3)

    const client = await connectHttp('v2-modern', (await project.serve()).url)
    const answer = await client.call(PIPELINE, {
      pdfPath: join(project.dir, SAMPLE),
      embeddingModel: 'hash-ngram-16',
    })
    expect(answer.structuredContent).toMatchObject({ embeddings: { length: 16 } })
    const wrong = await client.call(PIPELINE, { pdfPath: join(project.dir, 'nowhere.pdf') })
    expect(wrong.isError).toBe(true)
    expect(JSON.stringify(wrong.content)).toMatch(
      /`tools\.pdf\.pipeline\.embed` failed at step `read_pdf` \(`tools\.pdf\.read_local`\).*nowhere\.pdf cannot be read/,
    )
  })

  it('Q118: the plan and info tell a person what it may do through its tools', async () => {
    const project = withRegistry(PIPELINE, ...TOOLS)
    ok(await project.orla(['install', ...TOOLS, '--yes', '--no-test']))
    const asked = await project.orla(['install', PIPELINE])
    expect([asked.status, asked.stderr]).toEqual([
      3,
      expect.stringMatching(
        /calls tools\.pdf\.read_local\n[\s\S]* {2}may {3}filesystem:read:arg:path, through tools\.pdf\.read_local\n/,
      ),
    ])
    ok(await project.orla(['install', PIPELINE, '--yes', '--no-test']))
    // What was accepted once is not asked for again.
    ok(await project.orla(['install', PIPELINE, '--force', '--no-test']))
    const told = ok(await project.orla(['info', PIPELINE]))
    expect(told).toMatch(/1\.0\.0 \(chain, in use\)/)
    expect(told).toMatch(/calls +tools\.text\.clean/)
    expect(told).toMatch(/may +filesystem:read:arg:path: .*through tools\.pdf\.read_local/)
  })

  it('Q111, Q118: its own tests run before it is installed, on the tools that come with it', async () => {
    const project = withRegistry(...TOOLS)
    const broken = fixture('../../../examples/pipeline/tools/tools.pdf.pipeline.embed', (manifest) => ({
      ...manifest,
      chain: [{ step: 'read', tool: 'tools.pdf.read_local', inputMapping: { path: '$.input.pdfPath' } }],
      output_schema: {},
    }))
    const refused = await project.orla(['install', '--local', broken, '--yes'])
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/fails its own tests:[\s\S]*embeddings/),
    ])
    expect(existsSync(join(project.dir, '.mcp'))).toBe(false)
    ok(await project.orla(['install', '--local', join(EXAMPLE, 'tools', PIPELINE), '--yes']))
    expect(ok(await project.orla(['test', PIPELINE]))).toMatch(/1 passed, 0 failed/)
  })

  it('Q118: the manifest of the specification itself is carried out', async () => {
    const project = withRegistry(...TOOLS)
    ok(await project.orla(['install', '--local', fixture('pipeline'), '--yes', '--no-test']))
    const args = JSON.stringify({ pdfPath: join(project.dir, SAMPLE), embeddingModel: 'hash-ngram-32' })
    expect(JSON.parse(ok(await project.orla(['call', PIPELINE, args]))).embeddings).toHaveLength(32)
  })

  it('Q118: tools that no registry knows do not keep it from being installed; it says what is missing', async () => {
    const project = withRegistry('tools.text.clean')
    const { status, stderr } = await project.orla(['install', '--local', fixture('pipeline'), '--yes'])
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(
        /`tools\.pdf\.pipeline\.embed` is not served: its chain calls `tools\.pdf\.read_local`, `tools\.embeddings\.generate`/,
      ),
    ])
    expect(readdirSync(join(project.dir, '.mcp/tools')).sort()).toEqual([PIPELINE, 'tools.text.clean'])
  })

  it('its README leads a newcomer through it', async () => {
    const project = makeProject({ 'bin/orla': `#!/bin/sh\nexec "${NODE}" "${ORLA}" "$@"\n` })
    const text = readFileSync(join(EXAMPLE, 'README.md'), 'utf8')
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code)
    // A permission is asked for, and here nobody can answer.
    const script = blocks
      .join('\n')
      .replaceAll('/tmp/embed', join(project.dir, 'embed'))
      .replace('orla install *.mcpkg', 'orla install *.mcpkg --yes')
    const printed = execFileSync('sh', ['-euc', script], {
      cwd: EXAMPLE,
      env: { ...project.env, PATH: `${join(project.dir, 'bin')}:${project.env.PATH}` },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(printed.match(/"embeddings": \[/g)).toHaveLength(2)
    expect(printed).toMatch(/1 passed, 0 failed/)
  })
})
