import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyTree } from './copy-tree.ts'
import { linkProblem } from './link-target.ts'
import { listTree } from './tree.ts'

let folder: string
let tree: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-tree-'))
  tree = join(folder, 'tree')
  mkdirSync(join(tree, 'bin'), { recursive: true })
  writeFileSync(join(tree, 'tool.yaml'), 'name: x')
  writeFileSync(join(tree, 'bin/x'), '#!/bin/sh\n', { mode: 0o700 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const sha = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

describe('listTree', () => {
  it('Q89: lists every file with size, execute bit and hash, in the order of bytes', () => {
    const big = Buffer.alloc(200_000, 'abc')
    writeFileSync(join(tree, 'Zbig'), big)
    mkdirSync(join(tree, 'empty'))
    symlinkSync('../tool.yaml', join(tree, 'bin/link'))
    expect(listTree(tree)).toEqual([
      { path: 'Zbig', size: 200_000, executable: false, sha256: sha(big) },
      { path: 'bin/link', size: 12, executable: false, sha256: sha('../tool.yaml'), link: '../tool.yaml' },
      { path: 'bin/x', size: 10, executable: true, sha256: sha('#!/bin/sh\n') },
      { path: 'tool.yaml', size: 7, executable: false, sha256: sha('name: x') },
    ])
  })

  it.each(['/etc/passwd', '../../secret', '..', '../..', 'sub/../../..'])(
    'refuses a link to %s',
    (target) => {
      symlinkSync(target, join(tree, 'evil'))
      expect(() => listTree(tree)).toThrow(
        expect.objectContaining({ code: 'E_UNSAFE_TREE', message: expect.stringContaining('"evil"') }),
      )
    },
  )

  it('refuses what is neither file nor folder, and says what cannot be read', () => {
    execFileSync('mkfifo', [join(tree, 'pipe')])
    expect(() => listTree(tree)).toThrow(expect.objectContaining({ code: 'E_UNSAFE_TREE' }))
    expect(() => listTree(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'E_FILE' }))
  })
})

describe('linkProblem', () => {
  it.each([
    ['a', 'b', undefined],
    ['a', './b/c', undefined],
    ['d/a', '../b', undefined],
    ['d/e/a', '../../b', undefined],
    ['d/a', '..', undefined],
    ['a', '..', 'leaves'],
    ['d/a', '../..', 'leaves'],
    ['d/a', '../../b', 'leaves'],
    ['a', '/b', 'absolute'],
    ['a', 'C:x', 'absolute'],
    ['a', 'b\\c', 'absolute'],
    ['a', 'b/..', 'inside its target'],
    ['d/e/a', '../../link/../..', 'inside its target'],
    ['a', '', 'nothing'],
  ])('%s -> %s', (path, target, words) => {
    const problem = linkProblem(path, target)
    if (words === undefined) expect(problem).toBeUndefined()
    else expect(problem).toContain(words)
  })

  it('property: links it lets through never lead outside, however they follow each other', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd')
    const path = fc.array(name, { minLength: 1, maxLength: 3 })
    const target = fc.array(fc.constantFrom('..', '.', 'a', 'b', 'c', 'd'), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(path, target), { maxLength: 6 }),
        fc.array(path, { maxLength: 6 }),
        (links, starts) => {
          const tree = new Map<string, string[]>()
          for (const [at, to] of links) {
            const key = at.join('/')
            const behindLink = at.some((_, i) => i < at.length - 1 && tree.has(at.slice(0, i + 1).join('/')))
            const hasChildren = [...tree.keys()].some((other) => other.startsWith(`${key}/`))
            if (!behindLink && !hasChildren && linkProblem(key, to.join('/')) === undefined) tree.set(key, to)
          }
          for (const start of [...starts, ...links.map(([at]) => at)])
            expect(staysInside(tree, start)).toBe(true)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

/** Walks like the kernel does: link by link, `..` from where one really is. */
function staysInside(links: ReadonlyMap<string, readonly string[]>, start: readonly string[]): boolean {
  let here: string[] = []
  const words = [...start]
  for (let steps = 0; words.length > 0 && steps < 200; steps++) {
    const word = words.shift()
    if (word === undefined || word === '.') continue
    if (word === '..') {
      if (here.length === 0) return false
      here = here.slice(0, -1)
      continue
    }
    const link = links.get([...here, word].join('/'))
    if (link === undefined) here = [...here, word]
    else words.unshift(...link)
  }
  return true
}

describe('copyTree', () => {
  it('Q37: copies files as 644 and 755 and links that stay inside, without what is skipped', () => {
    symlinkSync('bin/x', join(tree, 'link'))
    mkdirSync(join(tree, '.git/objects'), { recursive: true })
    writeFileSync(join(tree, '.git/objects/x'), '')
    const out = join(folder, 'out')
    copyTree(tree, out, { isSkipped: (path) => path === '.git' })
    expect(listTree(out)).toEqual(listTree(tree).filter(({ path }) => !path.startsWith('.git')))
    expect(statSync(join(out, 'bin/x')).mode & 0o777).toBe(0o755)
    expect(statSync(join(out, 'tool.yaml')).mode & 0o777).toBe(0o644)
    expect(readlinkSync(join(out, 'link'))).toBe('bin/x')
    expect(readFileSync(join(out, 'link'), 'utf8')).toBe('#!/bin/sh\n')
  })

  it('refuses links to the outside, other kinds, strange names and too much, and leaves nothing', () => {
    const out = join(folder, 'out')
    const refused = (make: () => void, remove: string, limits = { entries: 3, bytes: 1000 }) => {
      make()
      expect(() => copyTree(tree, out, { limits })).toThrow(
        expect.objectContaining({ code: 'E_UNSAFE_TREE' }),
      )
      expect(existsSync(out)).toBe(false)
      rmSync(join(tree, remove))
    }
    refused(() => symlinkSync('/etc/passwd', join(tree, 'l')), 'l')
    refused(() => execFileSync('mkfifo', [join(tree, 'p')]), 'p')
    refused(() => writeFileSync(join(tree, 'a\\b'), ''), 'a\\b')
    refused(() => writeFileSync(join(tree, 'TOOL.yaml'), ''), 'TOOL.yaml')
    refused(() => writeFileSync(join(tree, 'big'), Buffer.alloc(2_000)), 'big')
    refused(() => writeFileSync(join(tree, 'third'), ''), 'third', { entries: 2, bytes: 1000 })
    copyTree(tree, out)
    expect(existsSync(out)).toBe(true)
    expect(() => copyTree(join(folder, 'none'), join(folder, 'o2'))).toThrow(
      expect.objectContaining({ code: 'E_FILE' }),
    )
  })
})
