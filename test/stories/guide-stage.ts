import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Block, blocksOf, ROOT, readPage, typedLines } from '../guide-kit.ts'
import { connectHttp } from './clients.ts'
import { writeFiles } from './files.ts'
import { makeProject, type Project } from './project.ts'
import { makeRegistry, makeRepository, makeToolRepository, registriesYaml } from './repositories.ts'
import { seatTypist, type Typist } from './typist.ts'

/** Lines nobody can type here, and why. Everything else is run. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'orla install https://example.com/greet.mcpkg#sha256=…': 'another machine',
  'orla install acme.text.greet': 'it is installed from a file already',
  'orla test greet --watch': 'does not end',
}
/** Guides of other programs: of these only the commands of Orla are checked, by test/guides.test.ts. */
const NOT_OURS = ['clients.md', 'performance.md']

/** Those with the most to type. */
export const LONG_GUIDES: readonly string[] = ['chains.md', 'mcpkg.md', 'testing.md']

export const GUIDES = readdirSync(join(ROOT, 'docs/guides')).filter(
  (name) => !NOT_OURS.includes(name) && blocksIn(name).length > 0,
)

/** Follows a guide in a folder of its own. Fails where a line does, or prints something else than is shown. */
export async function typeGuide(guide: string): Promise<void> {
  const project = makeProject({ 'orla.yaml': 'registries: []\n' })
  const typist = seatTypist(project)
  for (const block of blocksIn(guide)) {
    await PREPARED[guide]?.(project, typist, block.text)
    if (block.language === 'console') typist.compare(block.text)
    else typist.type(runnable(block).join('\n'))
  }
}

export function blocksIn(guide: string): Block[] {
  return blocksOf(readPage(`docs/guides/${guide}`)).filter((block) => typedLines(block).length > 0)
}

function runnable(block: Block): string[] {
  return typedLines(block).filter((line) => !(withoutComment(line) in NOT_RUN))
}

export function withoutComment(line: string): string {
  return line.replace(/\s+# .*$/, '')
}

/** What a guide takes for granted, made before each of its blocks. */
const PREPARED: Readonly<
  Record<string, (project: Project, typist: Typist, block: string) => void | Promise<void>>
> = {
  async 'capsules.md'(project, _, block) {
    if (block.startsWith('orla capsule')) await project.serve()
  },

  async 'chains.md'(project, { type }, block) {
    const tools = join(ROOT, 'examples/pipeline/tools')
    if (block.includes('orla install tools.')) {
      useRegistry(project, Object.fromEntries(pipeline(tools)))
      type('orla search pdf') // the first use of a registry asks for trust
    }
    if (block.includes('orla new')) cpSync(tools, join(project.dir, 'tools'), { recursive: true })
    if (block.includes('suggest')) await work(project)
  },

  'installing.md'(project) {
    useRegistry(project, { weather: makeToolRepository('weather', ['0.1.0'], 'permissions: []\n') })
  },

  'mcpkg.md'(project, _, block) {
    if (block.startsWith('$ orla info'))
      cpSync(join(ROOT, 'test/fixtures/mcpkg/pdf'), join(project.dir, 'tools/pdf'), { recursive: true })
  },

  'measurements.md'(_, { type }) {
    type('orla init && orla call hello --arg name=Ada')
  },

  'permissions.md': (project, { type }) => installFs(project, type),
  'sandbox.md': (project, { type }) => installFs(project, type),

  'publishing.md'(project, { type }) {
    const [manifest] = blocksOf(readPage('docs/guides/publishing.md'))
    writeFiles(project.dir, {
      'tool.yaml': manifest?.text ?? '',
      'bin/weather': '#!/bin/sh\necho \'{"degrees": 21}\'\n',
      'setup.sh': '#!/bin/sh\n',
    })
    type('git init -q && git add -A && git commit -qm first')
  },

  'registries.md'(_, { type }) {
    type(
      'orla new weather && cd weather && git init -q && git add -A && git commit -qm first && orla publish',
    )
  },

  'signing.md'(_, { type }, block) {
    if (block.startsWith('orla keys generate  ')) type('orla new acme.text.greet --mcpkg')
  },

  'testing.md'(project, { type }, block) {
    if (!block.startsWith('orla diff')) return
    const repository = makeRepository()
    cpSync(join(project.dir, 'greet'), repository.dir, { recursive: true })
    repository.commit('v0.1.0')
    const manifest = readFileSync(join(repository.dir, 'tool.yaml'), 'utf8')
    repository.write({ 'tool.yaml': manifest.replace('0.1.0', '0.2.0') })
    repository.commit('v0.2.0')
    useRegistry(project, { greet: repository })
    type('orla uninstall greet && orla install greet@v0.1.0 && cp -r greet greet-before')
  },
}

function useRegistry(project: Project, tools: Parameters<typeof makeRegistry>[0]): void {
  project.write({ 'orla.yaml': registriesYaml(['main', makeRegistry(tools)]) })
}

function pipeline(folder: string) {
  return readdirSync(folder).map((name) => {
    const repository = makeRepository()
    cpSync(join(folder, name), repository.dir, { recursive: true })
    repository.commit('v1.0.0')
    return [name, repository] as const
  })
}

function installFs(project: Project, type: Typist['type']): void {
  const wants = 'permissions: ["filesystem:read:./data", network]\n'
  useRegistry(project, { fs: makeToolRepository('fs', ['0.1.0'], wants) })
  type('orla install fs')
}

/** The calls that the guide of chains draws its draft from. */
async function work(project: Project): Promise<void> {
  const reply = (answer: string) =>
    `#!/usr/bin/env node\nconst given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))\nconsole.log(JSON.stringify(${answer}))\n`
  project.write({
    'orla.yaml': 'registries: []\nrecord_calls: hashed\n',
    'tools/find.cjs': reply('{ id: `customer-${given.name}-4711` }'),
    'tools/find.tool.yaml': 'mcp: {output_schema: {type: object, properties: {id: {}}}}\n',
    'tools/fetch.cjs': reply('given'),
    'tools/fetch.tool.yaml':
      'mcp: {input_schema: {type: object, properties: {detail: {enum: [short, long]}}}}\n',
  })
  const server = await project.serve()
  const client = await connectHttp('v2-modern', server.url)
  for (const name of ['ada', 'bob', 'cleo']) {
    const found = await client.call('find', { name })
    const { id } = found.structuredContent as { id: string } // as its output schema says
    await client.call('fetch', { customer: id, detail: 'short' })
  }
  await client.close()
  await server.stop()
}
