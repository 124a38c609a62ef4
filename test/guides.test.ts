import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMANDS } from '../src/cli/commands.ts'
import { loadJsonPath, readMcpkgManifest } from '../src/formats/index.ts'
import { blocksOf, commandsIn, complaint, PAGES, ROOT, readPage, spansOf, typedLines } from './guide-kit.ts'

const LINKING = [
  ...PAGES,
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`),
]

describe('the guides', () => {
  it.each(PAGES)('%s: every command and option it names is there', (page) => {
    const text = readPage(page)
    const typed = blocksOf(text).flatMap(typedLines)
    const complaints = [
      ...typed.map((line) => complaint(line, 'typed')),
      ...spansOf(text).map((span) => complaint(span, 'mentioned')),
    ]
    expect(complaints.filter((one) => one !== undefined)).toEqual([])
  })

  it.each([
    ['orla serv', 'typed', 'no command'],
    ['orla registry ad', 'mentioned', 'no command'],
    ['orla test --wach', 'typed', 'no option --wach'],
    ['orla update --saef', 'mentioned', 'no option --saef'],
    ['orla --stdoi', 'mentioned', 'no option --stdoi'],
    ["pass show api | orla secret put 'A B'", 'typed', 'no command `secret put`'],
    ['orla export --format toml', 'typed', 'must be one of'],
    ['orla use', 'typed', 'is missing'],
    ['orla list all', 'typed', 'unexpected word'],
  ] as const)('would fail on `%s`', (line, kind, words) => {
    expect(complaint(line, kind)).toContain(words)
  })

  it('every example in help can be typed', () => {
    const lines = COMMANDS.flatMap(({ examples }) => examples.map(([line]) => line))
    expect(lines.length).toBeGreaterThan(50)
    expect(lines.map((line) => complaint(line, 'typed')).filter((one) => one !== undefined)).toEqual([])
  })

  it('every command that a message of the program names is there', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readPage(join('src', name)))
    const named = sources.flatMap((source) => [...source.matchAll(/\\?`(orla [a-z][^`\\\n]*)\\?`/g)])
    const spans = named.map(([, span = '']) => span.replace(/\$\{[^}]*\}/g, 'VALUE'))
    expect(spans.length).toBeGreaterThan(100)
    expect(spans.map((span) => complaint(span, 'mentioned')).filter((one) => one !== undefined)).toEqual([])
  })

  it('lines are split as a shell does', () => {
    expect(commandsIn(`A=1 orla call x '{"a b":1}' --arg k="v w" >out.json # why`)).toEqual([
      ['orla', 'call', 'x', '{"a b":1}', '--arg', 'k=v w'],
    ])
    expect(commandsIn('cd a && orla install x#v1 | cat')).toEqual([
      ['cd', 'a'],
      ['orla', 'install', 'x#v1'],
      ['cat'],
    ])
  })

  it.each(PAGES)('%s: every setting and manifest in it fits its schema', (page) => {
    const wrong = blocksOf(readPage(page))
      .filter(({ language }) => language === 'yaml')
      .map(({ text }) => misfit(parse(text)))
    expect(wrong.filter((one) => one !== undefined)).toEqual([])
  })

  it('would fail on a setting or a key that is not there', () => {
    expect(misfit({ prot: 1 })).toContain('prot')
    expect(misfit({ limits: { clients: { rat: 1 } } })).toContain('rat')
    expect(misfit({ name: 'x', runtime: { mod: 'capsule' } })).toContain('mod')
    expect(misfit({ sandbox: 'strict' })).toBeDefined()
  })

  it.each(PAGES)('%s: what it shows as JSON is JSON', (page) => {
    for (const { language, text } of blocksOf(readPage(page))) {
      if (language !== 'json') continue
      expect(() => JSON.parse(wholeOf(text)), text).not.toThrow()
    }
  })

  it.each(['mcpkg', 'chains'])('docs/guides/%s.md: what it shows of manifests a manifest takes', (guide) => {
    const parts = blocksOf(readPage(`docs/guides/${guide}.md`)).filter(({ language }) => language === 'json')
    expect(parts.flatMap(({ text }) => problemsOf(text))).toEqual([])
  })

  it('would fail on a part that a manifest does not take', () => {
    expect(
      problemsOf('"endpoint": { "type": "http", "methd": "GET", "url": "https://a.example" }'),
    ).not.toEqual([])
    expect(problemsOf('"auth": { "type": "beerer" }')).not.toEqual([])
  })

  it.each(LINKING)('%s: its links lead to pages, and to headings in them', (page) => {
    const links = [...readPage(page).matchAll(/\]\(([^):#]*)(?:#([^)]*))?\)/g)]
    const broken = links.filter(([, target = '', heading]) => {
      const file = target === '' ? page : join(dirname(page), target)
      if (!existsSync(join(ROOT, file))) return true
      return heading !== undefined && !headingsOf(readPage(file)).includes(heading)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it('every script of npm that a page names is there', () => {
    const { scripts } = JSON.parse(readPage('package.json'))
    const named = [...PAGES, 'CONTRIBUTING.md'].flatMap((page) =>
      [...readPage(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name),
    )
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

const jsonPath = await loadJsonPath()
const REST = {
  toolId: 'acme.text.greet',
  name: 'Greet',
  version: '0.1.0',
  description: 'Greets someone',
  capabilities: [],
  input_schema: { type: 'object' },
  output_schema: {},
}

const ajv = new Ajv({ strict: false, allErrors: true })
const fitsConfig = ajv.compile(schemaOf('orla'))
/** Guides show parts of a manifest. */
const fitsManifest = ajv.compile({ ...schemaOf('tool'), required: [] })

/** Files that are not Orla's own settings or a manifest. */
const FOREIGN = ['scrape_configs', 'registry_url']

function misfit(value: Record<string, unknown>): string | undefined {
  if (FOREIGN.some((key) => key in value) || fitsConfig(value) || fitsManifest(value)) return undefined
  return JSON.stringify([value, fitsConfig.errors, fitsManifest.errors])
}

/** As links name them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** Guides show parts of a manifest.json, without the braces around them. */
function wholeOf(text: string): string {
  return text.startsWith('"') ? `{${text}}` : text
}

function problemsOf(text: string): string[] {
  const shown = JSON.parse(wholeOf(text))
  const carriedOut = ['endpoint', 'implementations', 'chain'].some((key) => key in shown)
  const endpoint = { type: 'local', command: 'node ./run.mjs' }
  const manifest = { ...REST, ...(carriedOut ? {} : { endpoint }), ...shown }
  return readMcpkgManifest(JSON.stringify(manifest), 'manifest.json', jsonPath).problems.map(
    ({ pointer, message }) => `${pointer}: ${message}`,
  )
}

function schemaOf(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), 'utf8'))
}
