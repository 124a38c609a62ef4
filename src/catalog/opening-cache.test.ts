import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fingerprint, type Opening, readOpening } from '../formats/index.ts'
import type { Catalog } from '../model/index.ts'
import { scanFolder } from '../platform/index.ts'
import { decodeCache, encodeCache } from './cache-file.ts'
import { createDiscovery } from './discover.ts'

const COUNT = 100
let base: string
let toolsDir: string
let cacheDir: string
let newest = 0
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'orla-cache-'))
  toolsDir = mkdtempSync(join(base, 'tools-'))
  cacheDir = join(base, 'home/cache/catalog')
  for (let i = 0; i < COUNT; i++) put(`tool-${i}.sh`)
})
afterEach(() => {
  rmSync(base, { recursive: true, force: true })
})

function put(
  name: string,
  content = `#!/bin/sh\n# Says ${name}.\n# @param word {string}\n`,
  mode = 0o755,
): string {
  const path = join(toolsDir, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  newest = Date.now()
  return path
}
const where = () => ({ toolsDir, cwd: '/', globalDir: null, versions: {}, cacheDir })
/** What changed a moment ago is read, but not kept. */
const settled = () => vi.waitUntil(() => Date.now() > newest + 100, { interval: 10 })
async function scanAndKeep() {
  const discovery = createDiscovery()
  const { catalog } = await discovery.scan(where())
  discovery.flush()
  return catalog
}
/** What is made only when someone asks for it is asked for. */
const all = ({ tools }: Catalog) => Array.from(new Map(tools), ([, tool]) => PARTS.map((part) => tool[part]))
const PARTS = [
  'name',
  'title',
  'version',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  'meta',
  'origin',
  'run',
  'digest',
] as const
const scan = async () => (await createDiscovery().scan(where())).catalog
const cacheFile = () => join(cacheDir, readdirSync(cacheDir)[0] ?? 'none')
const cached = () => decodeCache(new Uint8Array(readFileSync(cacheFile())), toolsDir)

/** A cache that is right about everything but what the files say. */
function forge(change: (opening: Opening) => Opening): void {
  const entries = scanFolder(toolsDir).files.map((file) => {
    const opening = readOpening(readFileSync(file.path, 'utf8'), false) ?? expect.unreachable('it is whole')
    return { file, opening: change(opening) }
  })
  writeFileSync(cacheFile(), encodeCache(toolsDir, entries), { mode: 0o600 })
}
const said = (description: string) => (opening: Opening) => ({
  ...opening,
  print: 'forged',
  interpreter: ['/bin/evil'],
  header: { ...opening.header, description },
})

describe('the cache of what files say', () => {
  it('gives the next process the same catalog', async () => {
    put('broken.sh', '#!/bin/sh\n# @param a {strng}\n')
    put('refused.sh', '#!/bin/sh\r\n')
    put('binary', '\x7fELF\0')
    put('titled.py', '#!/usr/bin/env -S python3 -u\n# @title Titled\n')
    put('forgotten.py', '#!/usr/bin/env python3\n', 0o644)
    put('library.py', 'import os\n', 0o644)
    put('tool-1.tool.yaml', 'description: Of the sidecar.\n', 0o644)
    await settled()
    const first = await scanAndKeep()
    expect(statSync(cacheFile()).mode & 0o777).toBe(0o600)
    expect(cached()?.paths).toHaveLength(COUNT + 5)
    const second = await scan()
    expect(all(second)).toEqual(all(first))
    expect(second.problems).toEqual(first.problems)
    expect(second.problems).toHaveLength(3)
    expect(second.tools.get('tool-1')?.description).toBe('Of the sidecar.')
  })

  it('is asked about files that have not changed, and never about what to run', async () => {
    await settled()
    await scanAndKeep()
    forge(said('From the cache.'))
    const { tools } = await scan()
    expect(new Map(tools).get('tool-7')?.description).toBe('From the cache.')
    expect(tools.get('tool-7')).toMatchObject({
      description: 'Says tool-7.sh.',
      run: { command: { file: '/bin/sh', args: [join(toolsDir, 'tool-7.sh')] } },
    })
  })

  it('has no say about what to run even where it knows the file', async () => {
    await settled()
    await scanAndKeep()
    forge((opening) => ({ ...opening, interpreter: ['/bin/evil'] }))
    const { tools } = await scan()
    expect(new Map(tools).get('tool-7')?.run).toMatchObject({ command: { file: '/bin/evil' } })
    expect(tools.get('tool-7')?.run).toMatchObject({ command: { file: '/bin/sh' } })
  })

  it('has no say about a file that differs in any way', async () => {
    await settled()
    await scanAndKeep()
    forge(said('From the cache.'))
    const touched = join(toolsDir, 'tool-1.sh')
    utimesSync(touched, 1_000_000, 1_000_000)
    chmodSync(join(toolsDir, 'tool-2.sh'), 0o700)
    put('tool-3.sh', '#!/bin/sh\n# Says tool-4.sh.\n# @param word {string}\n')
    put('tool-new.sh')
    rmSync(join(toolsDir, 'tool-5.sh'))
    const tools = new Map((await scan()).tools)
    const told = ['tool-1', 'tool-2', 'tool-3', 'tool-new', 'tool-5', 'tool-6'].map(
      (name) => tools.get(name)?.description,
    )
    expect(told).toEqual([
      'Says tool-1.sh.',
      'Says tool-2.sh.',
      'Says tool-4.sh.',
      'Says tool-new.sh.',
      undefined,
      'From the cache.',
    ])
  })

  it.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['empty', () => new Uint8Array()],
    ['cut', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['cut behind its header', (bytes) => bytes.subarray(0, 16)],
    ['zeros', (bytes) => Buffer.alloc(bytes.length)],
    ['of another version', (bytes) => flip(bytes, 4)],
    ['about more files than it has', (bytes) => flip(bytes, 14)],
    ['wrong in a number', (bytes) => flip(bytes, 20)],
    ['wrong in a letter', (bytes) => flip(bytes, bytes.length - 40)],
    ['about another folder', () => encodeCache('/elsewhere', [])],
    ['of another shape', () => encodeCache(toolsDir, scanFolder(toolsDir).files.map(oddEntry))],
  ])('is ignored and written again when it is %s', async (_, damage) => {
    await settled()
    const first = await scanAndKeep()
    const good = readFileSync(cacheFile())
    writeFileSync(cacheFile(), damage(Buffer.from(good)))
    const second = await scanAndKeep()
    expect(all(second)).toEqual(all(first))
    expect(readFileSync(cacheFile())).toEqual(good)
  })

  it('that others may write is ignored', async () => {
    await settled()
    await scanAndKeep()
    forge(said('Of someone else.'))
    chmodSync(cacheFile(), 0o666)
    expect(new Map((await scan()).tools).get('tool-7')?.description).toBe('Says tool-7.sh.')
  })

  it('keeps nothing that may have changed again unnoticed', async () => {
    await settled()
    // As if it had been written in the moment in which it is read.
    const racy = put('racy.sh')
    const soon = Date.now() / 1000 + 60
    utimesSync(racy, soon, soon)
    await scanAndKeep()
    expect(cached()?.paths).toHaveLength(COUNT)
    expect(cached()?.paths).not.toContain('racy.sh')
  })

  it('is written once, by several at the same time, and again when enough has changed', async () => {
    await settled()
    const discoveries = [createDiscovery(), createDiscovery(), createDiscovery()]
    for (const discovery of discoveries) await discovery.scan(where())
    for (const discovery of discoveries) discovery.flush()
    expect(readdirSync(cacheDir)).toHaveLength(1)
    const { ino } = statSync(cacheFile())
    for (let i = 0; i < 9; i++) put(`tool-${i}.sh`, '#!/bin/sh\n# Changed.\n')
    await settled()
    await scanAndKeep()
    expect(statSync(cacheFile()).ino).toBe(ino)
    for (let i = 0; i < 60; i++) put(`tool-${i}.sh`, '#!/bin/sh\n# Changed.\n')
    await settled()
    await scanAndKeep()
    expect(statSync(cacheFile()).ino).not.toBe(ino)
    expect(new Map((await scan()).tools).get('tool-59')?.description).toBe('Changed.')
  })

  it('is not worth a file for few tools, nor for a look at one of them', async () => {
    await settled()
    const discovery = createDiscovery()
    const { catalog } = await discovery.look(where(), 'tool-1')
    expect(catalog.tools.get('tool-1')?.description).toBe('Says tool-1.sh.')
    discovery.flush()
    for (let i = 10; i < COUNT; i++) rmSync(join(toolsDir, `tool-${i}.sh`))
    await scanAndKeep()
    expect(() => readdirSync(cacheDir)).toThrow('ENOENT')
  })

  it('changes its version with what is made of a file', () => {
    const heads = [
      '#!/bin/sh\n# Greets\n# you.\n#\n# @title T\n# @param [a=1] {integer} An a\n# @param b {x}\necho\n',
      '#!/usr/bin/env -S python3 -u\n"""Reads.\n\n- one\n- two\n"""\n',
      '#!/bin/sh\r\n',
      '\x7fELF\0',
      'text',
    ]
    // Should this differ, raise VERSION in cache-file.ts: caches hold what was made of files before.
    const made = JSON.stringify(heads.map((head) => readOpening(head, false)))
    expect(fingerprint(made)).toBe('zd4x2v-1h25ckr')
  })
})

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 0x15
  return bytes
}

function oddEntry(file: ReturnType<typeof scanFolder>['files'][number]) {
  // Whoever writes such a file does not care for types.
  return {
    file,
    opening: { print: 'x', interpreter: [1], header: { problems: 'none' } } as unknown as Opening,
  }
}
