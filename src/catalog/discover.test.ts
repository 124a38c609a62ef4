import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { diffCatalogs } from './diff.ts'
import { createDiscovery, type Discovered, type Discovery } from './discover.ts'

let toolsDir: string
let discovery: Discovery
beforeEach(() => {
  toolsDir = mkdtempSync(join(tmpdir(), 'orla-catalog-'))
  discovery = createDiscovery()
})
afterEach(() => {
  rmSync(toolsDir, { recursive: true, force: true })
})

const script = (description: string) => `#!/bin/sh\n# ${description}\necho hello\n`
function put(relative: string, content = script('Says hello.'), mode = 0o755): string {
  const path = join(toolsDir, relative)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}
const scan = (cwd = '/') => discovery.scan({ toolsDir, cwd, globalDir: null, versions: {} })
const names = ({ catalog }: Discovered) => [...catalog.tools.keys()]

const PACKAGE = `name: pack
version: 1.0.0
description: Packs.
entrypoint: run.sh
`

describe('discovery', () => {
  it('Q1, Q2: every executable is a tool named after its file', async () => {
    put('ls.sh')
    put('text/summarize.py', '#!/usr/bin/env python3\n"""Summarizes."""\n')
    put('convert', '\x7fELF\0')
    put('notes.txt', 'x', 0o644)
    const found = await scan('/work')
    expect(names(found)).toEqual(['convert', 'ls', 'summarize'])
    expect(found.catalog.problems).toEqual([])
    expect(found.catalog.tools.get('summarize')).toMatchObject({
      description: 'Summarizes.',
      run: { command: { file: 'python3', args: [join(toolsDir, 'text/summarize.py')], cwd: '/work' } },
    })
    expect(found.catalog.tools.get('convert')?.description).toBe('Runs convert')
    expect(found.directories.toSorted()).toEqual([toolsDir, join(toolsDir, 'text')])
  })

  it('Q10: packages beside loose tools are left to themselves', async () => {
    put('ls.sh')
    put('fs/v1.0.0/tool.yaml', 'name: fs\n', 0o644)
    put('fs/v1.0.0/run.sh')
    const found = await scan()
    expect(names(found)).toEqual(['ls'])
    expect(new Set(found.catalog.problems.map(({ file }) => file))).toEqual(
      new Set([join(toolsDir, 'fs/v1.0.0/tool.yaml')]),
    )
  })

  it('Q19: a missing folder gives an empty catalog, and its tools once it appears', async () => {
    rmSync(toolsDir, { recursive: true })
    const missing = await scan()
    expect(missing).toMatchObject({ missing: true, directories: [toolsDir] })
    expect(missing.catalog.tools.size).toBe(0)
    put('ls.sh')
    expect(names(await scan())).toEqual(['ls'])
  })

  it('the first of two files with one tool name serves, the other is a problem naming both', async () => {
    const first = put('a-b/greet.sh', script('First.'))
    const second = put('a/greet.py', script('Second.'))
    const third = put('greet.rb', script('Third.'))
    const twin = put('GREET.sh')
    const { catalog } = await scan()
    expect([...catalog.tools.keys()]).toEqual(['GREET', 'greet'])
    expect(catalog.tools.get('greet')?.description).toBe('First.')
    expect(catalog.problems).toEqual([
      expect.objectContaining({ file: first, message: expect.stringContaining(`\`GREET\` (${twin})`) }),
      ...[second, third].map((file) => ({
        file,
        message: expect.stringContaining(first),
        hint: 'rename one of the two files',
      })),
    ])
    rmSync(first)
    expect((await scan()).catalog.tools.get('greet')?.description).toBe('Second.')
  })

  it('a file that cannot be served does not take a name', async () => {
    put('a/greet.sh', '#!/bin/sh\r\necho\r\n')
    put('b/greet.sh', script('Second.'))
    const { catalog } = await scan()
    expect(catalog.tools.get('greet')?.description).toBe('Second.')
    expect(catalog.problems).toMatchObject([{ file: join(toolsDir, 'a/greet.sh') }])
  })

  it('problems of all kinds stand in the order of their files', async () => {
    symlinkSync('nowhere', join(toolsDir, 'b-link'))
    put('a name.sh')
    put('c.sh', '#!/bin/sh\n# @param a {x}\n# @param b {y}\n')
    put('d.py', '#!/usr/bin/env python3\n', 0o644)
    const { catalog } = await scan()
    const shown = catalog.problems.map(({ file, line }) => [file.slice(toolsDir.length + 1), line])
    expect(shown).toEqual([
      ['a name.sh', undefined],
      ['b-link', undefined],
      ['c.sh', 2],
      ['c.sh', 3],
      ['d.py', undefined],
    ])
  })

  it('hints at scripts that only lack the execute bit', async () => {
    const script = put("it's.py", '#!/usr/bin/env python3\n', 0o644)
    put('library.py', 'import os\n', 0o644)
    put('notes.md', '#!/bin/sh\n', 0o644)
    expect((await scan()).catalog.problems).toEqual([
      {
        file: script,
        message: 'has a #! line but is not executable',
        hint: `chmod +x '${toolsDir}/it'\\''s.py'`,
      },
    ])
    chmodSync(script, 0o755)
    expect((await scan()).catalog.problems).toMatchObject([
      { message: expect.stringContaining('the name of') },
    ])
  })

  it.skipIf(process.getuid?.() === 0)(
    'a file that cannot be read is a problem, and no tool (skipped: root reads everything)',
    async () => {
      const secret = put('secret.sh', script('x'), 0o311)
      put('fine.sh')
      const found = await scan()
      expect(names(found)).toEqual(['fine'])
      expect(found.catalog.problems).toMatchObject([{ file: secret, message: 'cannot be read (EACCES)' }])
    },
  )

  it('a sidecar wins over the comment; a broken one keeps its tool out; a lost one is a problem', async () => {
    put('greet.sh')
    put('greet.tool.yaml', 'description: Greets.\nmcp: {input_schema: {name: string}}\n', 0o644)
    put('broken.sh')
    const broken = put('broken.tool.yaml', 'description: x\nruntme: {}\n', 0o644)
    const lost = put('sub/greet.tool.yaml', 'description: x\n', 0o644)
    const { catalog } = await scan()
    expect(catalog.tools.get('greet')).toMatchObject({
      description: 'Greets.',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    })
    expect(catalog.tools.has('broken')).toBe(false)
    expect(catalog.problems).toMatchObject([
      { file: broken, line: 2, message: 'unknown key `runtme`', hint: 'did you mean `runtime`?' },
      { file: lost, message: 'describes a tool that is not there' },
    ])
  })
})

describe('discovering again', () => {
  it('gives the same catalog when nothing has changed', async () => {
    put('a.sh')
    put('b name.sh')
    symlinkSync('nowhere', join(toolsDir, 'broken'))
    put('a.tool.yaml', 'description: A.\n', 0o644)
    const first = await scan()
    expect((await scan()).catalog).toBe(first.catalog)
  })

  it('keeps unchanged tools as they are, and tells the others apart', async () => {
    put('same.sh')
    put('edited.sh')
    put('described.sh')
    put('gone.sh')
    const before = (await scan()).catalog
    put('edited.sh', script('Says more.'))
    put('described.tool.yaml', 'description: Described.\n', 0o644)
    rmSync(join(toolsDir, 'gone.sh'))
    put('new.sh')
    const after = (await scan()).catalog
    expect(after).not.toBe(before)
    expect(after.tools.get('same')).toBe(before.tools.get('same'))
    expect(diffCatalogs(before, after)).toEqual({
      added: ['new'],
      removed: ['gone'],
      changed: ['described', 'edited'],
    })
    expect(diffCatalogs(after, after)).toEqual({ added: [], removed: [], changed: [] })
    rmSync(join(toolsDir, 'described.tool.yaml'))
    expect((await scan()).catalog.tools.get('described')?.description).toBe('Says hello.')
  })

  it('notices a problem that comes or goes while all tools stay', async () => {
    put('a.sh')
    const before = await scan()
    symlinkSync('nowhere', join(toolsDir, 'broken'))
    const broken = await scan()
    expect(broken.catalog.problems).toHaveLength(1)
    expect(broken.catalog.tools.get('a')).toBe(before.catalog.tools.get('a'))
    rmSync(join(toolsDir, 'broken'))
    expect((await scan()).catalog.problems).toEqual([])
  })

  it('notices when another file takes over a name', async () => {
    put('b/greet.sh')
    const before = (await scan()).catalog
    renameSync(join(toolsDir, 'b'), join(toolsDir, 'c'))
    const after = (await scan()).catalog
    expect(diffCatalogs(before, after).changed).toEqual(['greet'])
    expect(after.tools.get('greet')?.origin.file).toBe(join(toolsDir, 'c/greet.sh'))
  })

  it('reads again what changed just before it was read, and keeps it when it is the same', async () => {
    const path = put('a.sh', script('One.'))
    const sidecar = put('b.tool.yaml', 'description: One.\n', 0o644)
    put('b.sh')
    const first = (await scan()).catalog
    expect((await scan()).catalog).toBe(first)
    for (const [file, text] of [
      [path, script('Two.')],
      [sidecar, 'description: Two.\n'],
    ] as const) {
      const { atimeMs, mtimeMs } = statSync(file)
      writeFileSync(file, text)
      utimesSync(file, atimeMs / 1000, mtimeMs / 1000)
    }
    const { tools } = (await scan()).catalog
    expect([tools.get('a')?.description, tools.get('b')?.description]).toEqual(['Two.', 'Two.'])
    expect(first.tools.get('a')?.description).toBe('One.')
  })

  it('starts afresh for another folder or working directory', async () => {
    put('a.sh')
    const first = await scan('/')
    const moved = await scan('/tmp')
    expect(moved.catalog.tools.get('a')?.run).toMatchObject({ command: { cwd: '/tmp' } })
    expect(diffCatalogs(first.catalog, moved.catalog).changed).toEqual(['a'])
    const elsewhere = await discovery.scan({
      toolsDir: join(toolsDir, 'none'),
      cwd: '/tmp',
      globalDir: null,
      versions: {},
    })
    expect(elsewhere.missing).toBe(true)
    expect(elsewhere.catalog.tools.size).toBe(0)
  })

  it('Q1: 10,000 tools are found in moments, and found unchanged in less', async () => {
    for (let i = 0; i < 10_000; i++)
      writeFileSync(join(toolsDir, `tool-${i}.sh`), script(`Number ${i}.`), { mode: 0o755 })
    const begun = performance.now()
    const first = await scan()
    const second = await scan()
    expect(performance.now() - begun).toBeLessThan(15_000)
    expect(first.catalog.tools.size).toBe(10_000)
    expect(first.catalog.tools.get('tool-1234')?.description).toBe('Number 1234.')
    expect(second.catalog).toBe(first.catalog)
  })
})

describe('a look', () => {
  const look = (name: string | null) =>
    discovery.look({ toolsDir, cwd: '/', globalDir: null, versions: {} }, name)

  it('finds one tool as a scan would, and leaves other files alone', async () => {
    put('a/greet.sh', '#!/bin/sh\r\n')
    put('b/greet.py', script('Second.'))
    put('b/greet.tool.yaml', 'description: Described.\n', 0o644)
    put('c/greet.sh', script('Third.'))
    put('greet.more.sh')
    put('greetings.sh')
    put('pack/tool.yaml', PACKAGE, 0o644)
    put('pack/run.sh')
    const { catalog, packages } = await look('greet')
    expect([...catalog.tools.keys()]).toEqual(['greet', 'pack'])
    expect(packages).toHaveLength(1)
    const all = (await scan()).catalog
    expect(catalog.tools.get('greet')).toEqual(all.tools.get('greet'))
    expect(catalog.tools.get('greet')?.description).toBe('Described.')
    expect(names(await look('greet.more'))).toEqual(['greet.more', 'pack'])
    expect(names(await look(null))).toEqual(['pack'])
    expect(names(await look(''))).toEqual(['pack'])
    expect((await scan()).catalog).toBe(all)
  })
})

describe('the tools of a catalog', () => {
  it('are a map', async () => {
    put('a.sh')
    put('b.sh')
    const { tools } = (await scan()).catalog
    const visited: string[] = []
    tools.forEach((tool, name, map) => {
      expect(map).toBe(tools)
      expect(tool).toBe(tools.get(name))
      visited.push(name)
    })
    expect(visited).toEqual(['a', 'b'])
    expect([tools.size, [...tools.keys()], [...tools].length, tools.has('a'), tools.has('c')]).toEqual([
      2,
      ['a', 'b'],
      2,
      true,
      false,
    ])
    expect(tools.get('c')).toBeUndefined()
  })
})
