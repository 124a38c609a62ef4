import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Finished, makeProject } from '../stories/project.ts'
import { makeRepository, packageFiles, registriesYaml } from '../stories/repositories.ts'

/** What the program may take: the bombs below take a thousand times as much where they go off. */
const LITTLE = { NODE_OPTIONS: '--max-old-space-size=96' }
const SOON_MS = 15_000

/** A file that Orla reads, made of what is always in it and something that is added. */
interface Reader {
  readonly kind: 'yaml' | 'json'
  /** Whether keys that nobody knows are let pass. */
  readonly tolerant: boolean
  /** How a command ends that could not read it; a search goes on without. */
  readonly status: number
  readonly largest: number
  read(added: string): Promise<Finished>
}

const MIB = 1_048_576
const TOOL = packageFiles('evil', '1.0.0')
const manifestJson = (added: string) =>
  `{"toolId":"acme.evil","name":"Evil","version":"1.0.0","description":"Says.","capabilities":[],` +
  `"implementations":[{"id":"sh","endpoint":{"type":"local","command":"sh ./run.sh"}}],` +
  `"input_schema":{"type":"object"},"output_schema":{"type":"object"}${added}}`

const inProject = (files: Readonly<Record<string, string>>, ...args: string[]) =>
  makeProject({ 'orla.yaml': '', ...files }).orla(args, { env: LITTLE })

const READERS: Readonly<Record<string, Reader>> = {
  'tool.yaml': {
    kind: 'yaml',
    tolerant: true,
    status: 1,
    largest: MIB / 4,
    read: (added) =>
      inProject(
        { 'p/tool.yaml': `${TOOL['tool.yaml']}${added}`, 'p/bin/evil': '#!/bin/sh\n' },
        'validate',
        'p',
      ),
  },
  'registry.yaml': {
    kind: 'yaml',
    tolerant: true,
    status: 0,
    largest: 4 * MIB,
    read(added) {
      const registry = makeRepository({
        'registry.yaml': `version: 1\nregistry_url: https://example.com/r\ntools: [{name: fs, description: A sample, repository: https://example.com/fs}]\n${added}`,
      })
      registry.commit()
      return inProject({ 'orla.yaml': registriesYaml(['main', registry]) }, 'search', 'sample', '--yes')
    },
  },
  'orla.yaml': {
    kind: 'yaml',
    tolerant: false,
    status: 2,
    largest: MIB,
    read: (added) => inProject({ 'orla.yaml': `port: 0\n${added}` }, 'config'),
  },
  'orla.lock': {
    kind: 'json',
    tolerant: false,
    status: 1,
    largest: 4 * MIB,
    read: (added) => inProject({ 'orla.lock': `{"v":1,"packages":[]${added}}` }, 'install', '--yes'),
  },
  'manifest.json': {
    kind: 'json',
    tolerant: true,
    status: 1,
    largest: 4 * MIB,
    read: (added) =>
      inProject({ 'p/manifest.json': manifestJson(added), 'p/run.sh': '#!/bin/sh\n' }, 'validate', 'p'),
  },
}

const readersOf = (kind: Reader['kind']) =>
  Object.entries(READERS).filter(([, reader]) => reader.kind === kind)

/** Each level names the one before ten times. */
function laughs(levels: number): string {
  const level = (index: number) =>
    `x-${index}: &a${index} [${Array.from({ length: 10 }, () => (index === 0 ? 'x' : `*a${index - 1}`)).join(', ')}]`
  return `${Array.from({ length: levels }, (_, index) => level(index)).join('\n')}\n`
}

/** One long text, named again and again, in levels that are each allowed. */
const repeated = (length: number, times: number) =>
  `x-a: &a ${'z'.repeat(length)}\nx-b: &b [${Array.from({ length: 9 }, () => '*a').join(', ')}]\nx-c: [${Array.from({ length: times }, () => '*b').join(', ')}]\n`

const unfolded = (text: string) => JSON.stringify(parse(text, { maxAliasCount: -1 })).length

async function expectRefused(reader: Reader, added: string, words: RegExp, harmless: string): Promise<void> {
  const small = await reader.read(harmless)
  expect(small.stdout + small.stderr).not.toMatch(words)
  if (reader.tolerant) expect([small.status, small.stderr]).toEqual([0, expect.any(String)])
  const began = performance.now()
  const { status, stdout, stderr } = await reader.read(added)
  expect(performance.now() - began).toBeLessThan(SOON_MS)
  expect([status, stdout + stderr]).toEqual([reader.status, expect.stringMatching(words)])
  expect(stdout).not.toContain('A sample')
  expect(stderr).not.toMatch(/heap|RangeError|at .*\.cjs:\d/)
  expect((stdout + stderr).length).toBeLessThan(20_000)
}

describe.each(readersOf('yaml'))('a hostile %s', (_, reader) => {
  it('Q20: aliases of aliases: become endless where they are followed, and are refused', async () => {
    expect(unfolded(laughs(5))).toBeGreaterThan(100 * laughs(5).length)
    await expectRefused(reader, laughs(9), /alias/i, laughs(2))
  })

  it('Q20: a long text named often: becomes a hundred times as long, and is refused', async () => {
    const length = Math.min(reader.largest, MIB) * 0.75
    expect(unfolded(repeated(1_000, 10))).toBeGreaterThan(50 * 1_000)
    await expectRefused(reader, repeated(length, 9), /with its aliases written out|alias/i, repeated(9, 2))
  })

  it('Q20: brackets in brackets: end a naive reader, and are refused', async () => {
    const deep = (levels: number) => `x-deep: ${'['.repeat(levels)}${']'.repeat(levels)}\n`
    const naive = spawnSync(
      process.execPath,
      ['-e', 'require("yaml").parse(require("fs").readFileSync(0, "utf8"))'],
      {
        input: deep(20_000),
        timeout: SOON_MS,
        encoding: 'utf8',
        cwd: join(import.meta.dirname, '../..'),
      },
    )
    expect([naive.status === 0, naive.stderr]).toEqual([false, expect.stringMatching(/call stack/)])
    await expectRefused(reader, deep(20_000), /is nested deeper than 64 levels/, deep(10))
  })

  it('Q20: a text without end is refused before it is read', async () => {
    const long = (length: number) => `# ${'x'.repeat(length)}\n`
    await expectRefused(reader, long(reader.largest + 1), /is larger than|too large/, long(1_000))
  })

  it('Q20: a key that stands twice: means one thing to one reader and another to the next, and is refused', async () => {
    const twice = 'x-a: {run: good, run: evil}\n'
    expect(parse(twice, { uniqueKeys: false })).toEqual({ 'x-a': { run: 'evil' } })
    await expectRefused(reader, twice, /the same key stands twice/, 'x-a: {run: good}\n')
  })
})

describe.each(readersOf('json'))('a hostile %s', (_, reader) => {
  it('Q95: brackets in brackets are refused', async () => {
    const deep = (levels: number) => `,"x-deep":${'['.repeat(levels)}${']'.repeat(levels)}`
    await expectRefused(reader, deep(100_000), /is nested deeper than 64 levels/, deep(10))
  })

  it('Q95: a text without end is refused before it is read', async () => {
    const long = (length: number) => `,"x-long":"${'x'.repeat(length)}"`
    await expectRefused(reader, long(reader.largest + 1), /is larger than|too large/, long(1_000))
  })

  it('Q95: a key that stands twice: means one thing to one reader and another to the next, and is refused', async () => {
    const twice = ',"x-a":{"run":"good","r\\u0075n":"evil"}'
    expect(JSON.parse(`{"v":1${twice}}`)).toMatchObject({ 'x-a': { run: 'evil' } })
    await expectRefused(reader, twice, /the same key stands twice/, ',"x-a":{"run":"good"}')
  })
})

/** What a program makes of it that copies one key after the other. */
function copyNaively(from: object): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(from)) copy[key] = value
  return copy
}

describe('a hostile manifest', () => {
  const WITHOUT = (TOOL['tool.yaml'] ?? '').replace(/entrypoint:.*\n/, '')
  const validate = (text: string) =>
    inProject({ 'p/tool.yaml': text, 'p/bin/evil': '#!/bin/sh\n' }, 'validate', 'p')

  it.each(['__proto__: {entrypoint: bin/evil}\n', 'constructor: {prototype: {entrypoint: bin/evil}}\n'])(
    'Q42: what stands behind %j is nothing that it says',
    async (added) => {
      const parsed = parse(WITHOUT + added) as object // a map
      if (added.startsWith('__proto__')) expect(copyNaively(parsed).entrypoint).toBe('bin/evil')
      expect((await validate(`${WITHOUT}entrypoint: bin/evil\n`)).status).toBe(0)
      const { status, stdout, stderr } = await validate(WITHOUT + added)
      expect([status, stdout + stderr]).toEqual([
        1,
        expect.stringMatching(/`entrypoint` is missing|entrypoint/),
      ])
    },
  )

  it('Q42: nor is what it merges from elsewhere in the text', async () => {
    const text = `${WITHOUT}x-base: &base\n  entrypoint: bin/evil\n<<: *base\n`
    expect(parse(text, { merge: true })).toMatchObject({ entrypoint: 'bin/evil' })
    const { status, stdout, stderr } = await validate(text)
    expect([status, stdout + stderr]).toEqual([1, expect.stringMatching(/entrypoint/)])
  })

  it('Q20: a tag that is a program: run by a reader that knows it, and text here', async () => {
    const text = `${TOOL['tool.yaml']}x-run: !!js/function "globalThis.ran = true"\n`
    const tag = {
      tag: 'tag:yaml.org,2002:js/function',
      resolve: (source: string) => runInThisContext(source) as unknown, // as readers with such tags do
    }
    parse(text, { customTags: [tag] })
    expect(Reflect.get(globalThis, 'ran')).toBe(true)
    Reflect.deleteProperty(globalThis, 'ran')
    const { status, stdout, stderr } = await validate(text)
    expect([status, stdout + stderr]).toEqual([0, expect.not.stringContaining('ran')])
  })

  it('Q42: a version that reads as a number is another one than it looks like, and has to be quoted', async () => {
    expect(parse('version: 1.10')).toEqual({ version: 1.1 })
    const { status, stdout, stderr } = await validate(WITHOUT.replace('1.0.0', '1.10'))
    expect([status, stdout + stderr]).toEqual([1, expect.stringMatching(/quotes: version: "1\.10\.0"/)])
  })
})
