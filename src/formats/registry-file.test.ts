import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import type { RegistryEntry } from '../model/index.ts'
import { addRegistryEntry, renderRegistryEntry } from './edit-registry.ts'
import { readRegistry } from './registry-file.ts'
import { loadYaml } from './yaml.ts'

const readYaml = await loadYaml()
const read = (source: string) => readRegistry(source, 'registry.yaml', readYaml)

const INDEX = `# The tools of our team
version: 1
registry_url: https://git.example.com/team/registry
tools:
  # reviewed in March
  - name: fs
    description: Local filesystem access
    repository: https://git.example.com/team/fs
    maintainer: team
    keywords:
      - filesystem
      - file-access
    stars: 12
  - name: http
    description: HTTP requests
    repository: git@git.example.com:team/http.git # over ssh
mood: good
`

const ENTRY: RegistryEntry = {
  name: 'sql',
  description: 'Asks: databases',
  repository: '/srv/git/sql',
  keywords: ['sql'],
  capabilities: [],
  platforms: [],
}

describe('registry.yaml', () => {
  it('Q50, Q51, Q52: has a version, its URL and tools; more keys do no harm', () => {
    expect(read(INDEX)).toEqual({
      version: 1,
      registryUrl: 'https://git.example.com/team/registry',
      entries: [
        {
          name: 'fs',
          description: 'Local filesystem access',
          repository: 'https://git.example.com/team/fs',
          maintainer: 'team',
          keywords: ['filesystem', 'file-access'],
          capabilities: [],
          platforms: [],
        },
        {
          name: 'http',
          description: 'HTTP requests',
          repository: 'git@git.example.com:team/http.git',
          keywords: [],
          capabilities: [],
          platforms: [],
        },
      ],
      problems: [],
    })
  })

  it('Q51: one broken entry hides no other', () => {
    const { entries, problems } = read(`version: 1
registry_url: x
tools:
  - name: good
    description: a
    repository: r
  - name: "../evil"
    description: b
    repository: r
  - description: nameless
    repository: r
  - name: helper
    description: c
    repository: ext::sh -c evil
  - name: option
    description: c
    repository: --upload-pack=evil
  - name: good
    description: again
    repository: r2
  - just text
  - name: sums
    description: d
    repository: r
    sha256: ${'A'.repeat(64)}
  - name: badsum
    description: d
    repository: r
    sha256: abc
`)
    expect(entries.map(({ name, description }) => [name, description])).toEqual([
      ['good', 'a'],
      ['sums', 'd'],
    ])
    expect(entries[1]?.sha256).toBe('a'.repeat(64))
    expect(problems.map(({ line, pointer }) => [line, pointer])).toEqual([
      [7, '/tools/1/name'],
      [10, '/tools/2'],
      [14, '/tools/3/repository'],
      [17, '/tools/4/repository'],
      [21, '/tools/6'],
      [29, '/tools/8/sha256'],
      [18, '/tools/5/name'],
    ])
    expect(problems.at(-1)?.message).toBe('`good` stands here a second time; the first one counts')
  })

  it('Q50: tells what is missing, and gives what there is', () => {
    expect(read('tools: [{name: a, description: b, repository: c}]\n')).toMatchObject({
      version: null,
      registryUrl: null,
      entries: [{ name: 'a' }],
      problems: [{ message: '`version` is missing' }, { message: '`registry_url` is missing' }],
    })
    expect(read('version: 2\nregistry_url: x\ntools:\n').problems.map(({ pointer }) => pointer)).toEqual([
      '/version',
    ])
  })

  it('Q40: hostile names never come through', () => {
    fc.assert(
      fc.property(anyText(), (name) => {
        const entry = { name, description: 'd', repository: 'r' }
        const { entries } = read(JSON.stringify({ version: 1, registry_url: 'x', tools: [entry] }))
        for (const { name: read } of entries) expect(read).toMatch(/^[a-z0-9-]+$/)
      }),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.json()), (source) => {
        expect(Array.isArray(read(source).entries)).toBe(true)
      }),
    )
  })
})

describe('adding to a registry', () => {
  it('Q51: keeps comments and order, and reads back as what was added', async () => {
    const edited = await addRegistryEntry(INDEX, ENTRY)
    expect(edited).toContain('# The tools of our team')
    expect(edited).toContain('# reviewed in March')
    expect(edited).toContain('# over ssh')
    expect(read(edited)).toMatchObject({ problems: [] })
    expect(read(edited).entries.at(-1)).toEqual(ENTRY)
    expect(edited.startsWith(INDEX.slice(0, INDEX.indexOf('mood')))).toBe(true)
  })

  it('replaces an entry of the same name', async () => {
    const edited = await addRegistryEntry(INDEX, { ...ENTRY, name: 'fs' })
    expect(read(edited).entries.map(({ name, repository }) => [name, repository])).toEqual([
      ['fs', '/srv/git/sql'],
      ['http', 'git@git.example.com:team/http.git'],
    ])
  })

  it('fills an empty index', async () => {
    const edited = await addRegistryEntry('version: 1\nregistry_url: x\ntools: []\n', ENTRY)
    expect(edited).toBe(
      'version: 1\nregistry_url: x\ntools:\n  - name: sql\n    description: "Asks: databases"\n    repository: /srv/git/sql\n    keywords:\n      - sql\n',
    )
  })

  it('does not touch what is broken', async () => {
    await expect(addRegistryEntry('tools: [', ENTRY)).rejects.toMatchObject({ code: 'E_CONFIG' })
    await expect(addRegistryEntry('tools: 7\n', ENTRY)).rejects.toMatchObject({ code: 'E_CONFIG' })
    await expect(addRegistryEntry('- 1\n', ENTRY)).rejects.toMatchObject({ code: 'E_CONFIG' })
  })

  it('shows an entry for pasting', async () => {
    const rendered = await renderRegistryEntry(ENTRY)
    const { entries } = read(`version: 1\nregistry_url: x\ntools:\n${rendered}`)
    expect(entries).toEqual([ENTRY])
  })
})
