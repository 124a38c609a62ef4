import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { blocksOf, commandsIn, complaint, PAGES, ROOT, readPage, spansOf, typedLines } from './guide-kit.ts'

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
      const whole = text.startsWith('"') ? `{${text}}` : text
      expect(() => JSON.parse(whole), text).not.toThrow()
    }
  })

  it('every script of npm that a page names is there', () => {
    const { scripts } = JSON.parse(readPage('package.json'))
    const named = [...PAGES, 'CONTRIBUTING.md'].flatMap((page) =>
      [...readPage(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name),
    )
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

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

function schemaOf(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), 'utf8'))
}
