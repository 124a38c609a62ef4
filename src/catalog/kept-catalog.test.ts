import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toWireTool, wireToolJson } from '../formats/index.ts'
import type { Catalog, Tool } from '../model/index.ts'
import { createDiscovery } from './discover.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'orla-kept-'))
})
afterEach(() => {
  rmSync(base, { recursive: true, force: true })
})

const word = fc.constantFrom(
  'Greets',
  'you',
  'größer',
  '漢字',
  '😀',
  '"quoted"',
  'back\\slash',
  'tab\there',
  '\u202e',
  '',
)
const words = fc.array(word, { maxLength: 5 }).map((all) => all.join(' '))
const param = fc.constantFrom(
  '@param a {string} An a',
  '@param [b=1] {integer}',
  '@param c {strng}',
  '@param __proto__ {string}',
  '@param 7 {number}',
  '@title Greeter "ü"',
  '@title',
)
const lines = fc.array(fc.oneof(words, param), { maxLength: 6 })
const content = fc.oneof(
  {
    weight: 6,
    arbitrary: lines.map((all) => `#!/bin/sh\n${all.map((line) => `# ${line}\n`).join('')}echo\n`),
  },
  fc.constantFrom(
    '#!/usr/bin/env -S python3 -u\n"""Reads."""\n',
    '#!/bin/sh\r\n',
    '#!\n',
    '\x7fELF\0',
    'text',
    '',
  ),
)
const name = fc.constantFrom(
  'greet',
  'Greet',
  'gr-eet',
  'gr_eet',
  'a b',
  'modern',
  'modem',
  'l0g',
  'log',
  'ü',
  'a.b',
)
const path = fc.tuple(fc.constantFrom('', 'sub/', 'sub/ö/', 'Ｚ/'), name, fc.constantFrom('', '.sh', '.py'))
const file = fc.record({
  path: path.map((parts) => parts.join('')),
  content,
  mode: fc.constantFrom(0o755, 0o755, 0o755, 0o644),
})

function write(toolsDir: string, files: readonly { path: string; content: string; mode: number }[]): void {
  // Enough of them that they are worth a cache.
  const others = Array.from({ length: 20 }, (_, at) => ({
    path: `other-${at}.sh`,
    content: `#!/bin/sh\n# Other ${at}.\n`,
    mode: 0o755,
  }))
  for (const { path: relative, content: text, mode } of [...files, ...others]) {
    const place = join(toolsDir, relative)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, text)
    chmodSync(place, mode)
    utimesSync(place, 1_000_000, 1_000_000)
  }
}

const PARTS = ['name', 'title', 'version', 'description', 'inputSchema', 'origin', 'run', 'digest'] as const
const shown = ({ tools, problems }: Catalog) => ({
  tools: Array.from(new Map(tools), ([, tool]) => PARTS.map((part) => tool[part])),
  listed: Array.from(new Map(tools), ([, tool]) => wireToolJson(tool, tool.name)),
  described: Array.from(new Map(tools), ([, tool]) => wireToolJson(tool, 'x', 'Otherwise "described"')),
  problems,
})
const asObjects = (tool: Tool) => JSON.stringify(toWireTool(tool, tool.name, tool.description))

describe('a catalog from what an earlier process kept', () => {
  it('is the catalog of the files, to the last byte of its list', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 12 }), async (files) => {
        const where = {
          toolsDir: join(base, `tools-${++run}`),
          cwd: base,
          globalDir: null,
          versions: {},
          cacheDir: join(base, 'cache'),
        }
        write(where.toolsDir, files)
        // What changed a moment ago is read, but not kept.
        const written = Date.now()
        await vi.waitUntil(() => Date.now() > written + 80, { interval: 10 })
        const cold = createDiscovery()
        const first = (await cold.scan(where)).catalog
        const expected = shown(first)
        expect(Array.from(new Map(first.tools), ([, tool]) => asObjects(tool))).toEqual(expected.listed)
        cold.flush()
        const kept = (await createDiscovery().scan(where)).catalog
        expect(shown(kept)).toEqual(expected)
        expect([...new Map(kept.tools).values()].every(({ written }) => written !== undefined)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
})
