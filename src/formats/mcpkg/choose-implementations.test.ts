import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { McpkgImplementation } from '../../model/index.ts'
import { loadJsonPath } from '../jsonpath.ts'
import { chooseImplementations } from './choose-implementations.ts'
import type { McpkgHost } from './host.ts'
import { readMcpkgManifest } from './manifest.ts'
import { parsePackageWord } from './package-word.ts'
import { parsePlatform } from './platform-word.ts'
import { parseRuntime } from './runtime-word.ts'
import { splitCommand } from './split-command.ts'

const jsonPath = await loadJsonPath()
const file = new URL('../../../test/fixtures/mcpkg/pdf/manifest.json', import.meta.url)
const { manifest: PDF } = readMcpkgManifest(readFileSync(file, 'utf8'), 'manifest.json', jsonPath)

type Programs = Readonly<Record<string, string | null>>

function host({ programs = {}, ...more }: Partial<McpkgHost> & { programs?: Programs } = {}): McpkgHost {
  return {
    platform: 'linux',
    arch: 'x64',
    programVersion: (name) => (Object.hasOwn(programs, name) ? programs[name] : undefined),
    packageVersion: () => undefined,
    ...more,
  }
}

function implementation(more: Partial<McpkgImplementation>, command = './bin/tool'): McpkgImplementation {
  const split = splitCommand(command)
  return {
    id: 'one',
    platforms: [],
    endpoint: { type: 'local', command, words: 'words' in split ? split.words : [] },
    requirements: { minVersions: {}, packages: [], commands: [], unknown: [] },
    ...more,
  }
}

const choose = (one: McpkgImplementation, on: McpkgHost) =>
  chooseImplementations({ implementations: [one] }, on)
const reasons = (one: McpkgImplementation, on: McpkgHost) =>
  choose(one, on).unfit.flatMap((unfit) => unfit.reasons)

describe('the implementations of the spec', () => {
  const where = (on: McpkgHost) => {
    const { fitting, unfit } = chooseImplementations(PDF ?? { implementations: [] }, on)
    return {
      fitting: fitting.map(({ implementation: { id }, words }) => [id, words?.[0]]),
      unfit: Object.fromEntries(unfit.map((one) => [one.implementation.id, one.reasons])),
    }
  }

  it('Q113: on a machine that has everything, in the order of the manifest', () => {
    const on = host({
      programs: { node: 'v20.19.0', python3: 'Python 3.11.7', dotnet: '8.0.100' },
      packageVersion: (program, name) => (program === 'python3' && name === 'PyMuPDF' ? '1.24.1' : undefined),
    })
    expect(where(on)).toEqual({
      fitting: [
        ['node-pdfjs', 'node'],
        ['dotnet-itext', 'dotnet'],
        ['python-pymupdf', 'python3'],
      ],
      unfit: {},
    })
  })

  it('Q113: on one that has too old and too little of it, with every reason', () => {
    const on = host({ programs: { node: 'v16.20.0', python: 'Python 3.8.1', dotnet: '9.0.1' } })
    expect(where(on)).toEqual({
      fitting: [],
      unfit: {
        'node-pdfjs': ['it needs Node.js 18.0.0 or newer, and this machine has v16.20.0'],
        'dotnet-itext': ['it needs .NET 8.0, and this machine has 9.0.1'],
        'python-pymupdf': ['it needs Python 3.11, and this machine has Python 3.8.1'],
      },
    })
  })

  it('Q113: on another platform', () => {
    const on = host({ platform: 'win32', arch: 'arm64', programs: { node: 'v22.0.0' } })
    expect(where(on).unfit).toMatchObject({
      'node-pdfjs': ['it is made for linux-x64, win-x64, darwin-arm64, and this is win-arm64'],
      'dotnet-itext': [
        'it is made for win-x64, linux-x64, and this is win-arm64',
        'it needs .NET 8.0, which is not installed',
      ],
    })
  })

  it('Q113: with the runtime and without its package', () => {
    const programs = { 'python3.11': 'Python 3.11.7', python: 'Python 2.7.18' }
    expect(where(host({ programs })).unfit['python-pymupdf']).toEqual([
      'it needs the package `PyMuPDF>=1.23.0`, which is not installed',
    ])
    expect(where(host({ programs, packageVersion: () => '1.22.5' })).unfit['python-pymupdf']).toEqual([
      'it needs the package `PyMuPDF>=1.23.0`, and this machine has 1.22.5',
    ])
    const { fitting } = where(
      host({ programs, packageVersion: (program) => (program === 'python3.11' ? '1.23.0' : undefined) }),
    )
    expect(fitting).toEqual([['python-pymupdf', 'python3.11']])
  })
})

describe('choosing', () => {
  it('Q113: an endpoint of its own comes last and fits everywhere', () => {
    const endpoint = { type: 'http', method: 'POST', url: 'https://example.com/' } as const
    const { fitting } = chooseImplementations({ endpoint, implementations: [implementation({})] }, host())
    expect(fitting.map((one) => one.implementation.id)).toEqual(['one', 'endpoint'])
    expect(fitting[1]).not.toHaveProperty('words')
    const elsewhere = implementation({ endpoint, runtime: 'python3.11', platforms: ['any'] })
    expect(reasons(elsewhere, host())).toEqual([])
  })

  it.each<[string, Programs, string | undefined]>([
    ['node', { node: 'v20.1.0' }, undefined],
    ['node', { node: null }, undefined],
    ['nodejs', { node: 'v20.1.0' }, undefined],
    ['node20', { node: 'v20.1.0' }, undefined],
    ['node20', { node: 'v22.1.0' }, undefined],
    ['node20', { node: 'v18.1.0' }, 'it needs Node.js 20, and this machine has v18.1.0'],
    ['node20', { node: null }, 'it needs Node.js 20, and this machine does not tell its version'],
    ['python3.11', { python3: 'Python 3.12.0' }, undefined],
    ['python3', { python: 'Python 2.7.1' }, 'it needs Python 3, and this machine has Python 2.7.1'],
    ['python3.11', { python3: 'Python 3.8.0', 'python3.11': 'Python 3.11.1' }, undefined],
    ['net8.0', { dotnet: '9.0.1' }, 'it needs .NET 8.0, and this machine has 9.0.1'],
    ['net8.0', { dotnet: '9.0.1', 'net8.0': '8.0.4' }, undefined],
    ['java17', { java: 'openjdk 21.0.1 2023-10-17' }, undefined],
    [
      'java17',
      { java: 'openjdk version "1.8.0_392"' },
      'it needs Java 17, and this machine has openjdk version "1.8.0_392"',
    ],
    ['bun', { bun: '1.1.0' }, undefined],
    ['deno', {}, 'it needs Deno, which is not installed'],
    ['ruby3.2', { ruby: 'ruby 3.3.0' }, undefined],
    ['browser', {}, 'it runs in a browser only'],
    ['>=3', {}, 'it needs the runtime ">=3", which Orla does not know'],
    ['any', {}, undefined],
    ['native', {}, undefined],
    ['constructor', {}, 'it needs constructor, which is not installed'],
  ])('Q113: runtime %s on %j', (runtime, programs, reason) => {
    expect(reasons(implementation({ runtime }), host({ programs }))).toEqual(
      reason === undefined ? [] : [reason],
    )
  })

  it('Q113: .NET is started by its one program, whatever its version is called', () => {
    const on = host({ programs: { dotnet: '9.0.1', 'net8.0': '8.0.4' } })
    expect(choose(implementation({ runtime: 'net8.0' }, 'dotnet ./a.dll'), on).fitting[0]?.words).toEqual([
      'dotnet',
      './a.dll',
    ])
  })

  it('Q113: a command that names a known runtime needs no runtime word', () => {
    const on = host({ programs: { python3: 'Python 3.11.7' } })
    expect(choose(implementation({}, 'python ./a.py'), on).fitting[0]?.words).toEqual(['python3', './a.py'])
    expect(reasons(implementation({}, 'python ./a.py'), host())).toEqual([
      'it needs Python, which is not installed',
    ])
    expect(reasons(implementation({ runtime: 'native' }, 'node ./a.js'), host())).toEqual([
      'its command begins with `node`, which is not installed',
    ])
  })

  it('Q113: what the command itself names is taken when it is good enough', () => {
    const on = host({ programs: { python3: 'Python 3.12.0', python: 'Python 3.11.7' } })
    expect(
      choose(implementation({ runtime: 'python3.11' }, 'python ./a.py'), on).fitting[0]?.words?.[0],
    ).toBe('python')
  })

  it.each<[string[], string, string, boolean]>([
    [[], 'linux', 'x64', true],
    [['any'], 'aix', 'ppc64', true],
    [['linux'], 'linux', 'arm64', true],
    [['linux-x64'], 'linux', 'x64', true],
    [['win-x64'], 'win32', 'x64', true],
    [['windows-amd64'], 'win32', 'x64', true],
    [['macos-aarch64'], 'darwin', 'arm64', true],
    [['linux-x64'], 'linux', 'arm64', false],
    [['plan9-x64'], 'plan9', 'x64', false],
  ])('Q113: platforms %j on %s %s', (platforms, platform, arch, fits) => {
    expect(reasons(implementation({ platforms }), host({ platform, arch })).length === 0).toBe(fits)
  })

  it('Q113: programs and what nobody can check', () => {
    const requirements = {
      minVersions: { deno: '2' },
      packages: [],
      commands: ['ffmpeg', 'jq>=1.6'],
      unknown: ['gpu'],
    }
    expect(
      reasons(implementation({ requirements }, 'convert x'), host({ programs: { jq: 'jq-1.5' } })),
    ).toEqual([
      'it needs Deno 2 or newer, which is not installed',
      'it needs `ffmpeg`, which is not installed',
      'it needs `jq>=1.6`, and this machine has jq-1.5',
      'its command begins with `convert`, which is not installed',
      'it needs `gpu`, and Orla does not know how to check that',
    ])
  })

  it.each<[string, string, boolean]>([
    ['a>=1.2', '1.2.0', true],
    ['a~=2.31', '2.40.0', true],
    ['a~=2.31', '3.0.0', false],
    ['a~=2.31.1', '2.32.0', false],
    ['a==1.*', '1.9.0', true],
    ['a@^1.2', '1.3.0', true],
    ['@scope/a@1.2.3', '1.2.4', false],
    ['a[x,y]>=1,<2', '1.5.0', true],
    ['a', 'whatever', true],
    ['a>=1.0', '1.0.post1', true],
  ])('Q113: package %s by version %s', (word, version, fits) => {
    const requirements = { minVersions: {}, packages: [word], commands: [], unknown: [] }
    expect(parsePackageWord(word)).not.toHaveProperty('problem')
    expect(
      reasons(implementation({ requirements }), host({ packageVersion: () => version })).length === 0,
    ).toBe(fits)
  })

  it('Q113: every implementation fits or has a reason, whatever is asked for', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('node20', 'python3.11', 'net8.0', 'linux-x64', 'any', 'x>=1'),
    )
    const version = fc.option(fc.oneof(fc.string(), fc.constant('v20.1.0')), { nil: undefined })
    fc.assert(
      fc.property(fc.array(word), word, fc.array(word), version, (platforms, runtime, packages, found) => {
        const requirements = { minVersions: { node: '18' }, packages, commands: packages, unknown: [] }
        const on = host({ programVersion: () => found, packageVersion: () => found })
        const { fitting, unfit } = choose(
          implementation({ platforms, runtime, requirements }, 'node ./a'),
          on,
        )
        expect(fitting.length + unfit.length).toBe(1)
        expect(unfit.every((one) => one.reasons.length > 0)).toBe(true)
      }),
    )
  })

  it('knows no platform and no runtime by accident', () => {
    for (const word of ['', 'constructor', 'linux-x64-musl', 'x64', '__proto__'])
      expect(parsePlatform(word)).toBeUndefined()
    for (const word of ['', '18', 'node 18', 'node>=18', 'a;b']) expect(parseRuntime(word)).toBeUndefined()
  })
})
