import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installPackages } from '../../src/app/packages/install.ts'
import { signPackage } from '../../src/app/signing/sign.ts'
import { verifyPackages } from '../../src/app/signing/verify.ts'
import { formatSignature, generateKeyPair, SIGNATURE_FILE, signedListing } from '../../src/formats/index.ts'
import { extractArchive, listTree, packZip } from '../../src/platform/index.ts'
import { makeMachine } from '../signing-kit.ts'
import { writeFiles } from '../stories/files.ts'
import { packageFiles } from '../stories/mcpkg-kit.ts'

/** Refused, whatever the policy. */
const REFUSED = ['bad-signature', 'content-mismatch', 'malformed', 'key-changed', 'revoked']
const YES = {
  consent: async () => '--yes' as const,
  trust: async () => true,
  trustSource: async () => true,
  warn: () => {},
  progress: () => {},
}

interface Mutation {
  readonly name: string
  /** Changes the files of a package that was signed. */
  readonly change: (folder: string) => void
}

/** A signed package, its files, and what is said of each mutation of it. */
async function makeSigned() {
  const machine = makeMachine()
  const { world, request, dir } = machine
  await machine.key('author')
  const source = join(dir, 'source')
  writeFiles(source, {
    ...packageFiles('acme.text.say', '1.0.0', { tests: ['tests/a.test.json'] }),
    'lib/helper.mjs': 'export const help = () => 1\n',
    'tests/a.test.json': JSON.stringify({ name: 'a', input: {}, expected: {} }),
    'meta/publisher.json': '{"id": "acme"}\n',
    'bin/tool': '#!/bin/sh\necho hello\n',
  })
  const file = join(dir, 'say.mcpkg')
  await packZip(source, pathsIn(source), file)
  await signPackage(world, request, file, 'author')
  const good = join(dir, 'good')
  await extractArchive(file, good)
  const state = stateOf(good)
  const verify = async (path: string) => {
    const [result] = await verifyPackages(world, request, [path])
    return result
  }
  return { ...machine, file, good, state, verify }
}

function pathsIn(folder: string): string[] {
  return listTree(folder).map(({ path }) => path)
}

function stateOf(folder: string): string {
  return JSON.stringify(listTree(folder))
}

/** One byte of a file becomes another one. */
function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  const index = Math.min(bytes.length - 1, Math.floor(bytes.length * at))
  bytes[index] = (bytes[index] ?? 0) ^ 0x01
  writeFileSync(file, bytes)
}

function mutationsOfFiles(paths: readonly string[]): Mutation[] {
  const content = paths.filter((path) => path !== SIGNATURE_FILE)
  return content.flatMap((path) => [
    ...Array.from({ length: 20 }, (_, part) => ({
      name: `${path}: byte at ${part}/20`,
      change: (folder: string) => flip(join(folder, path), part / 20),
    })),
    { name: `${path}: longer`, change: (folder: string) => appendFileSync(join(folder, path), ' ') },
    { name: `${path}: empty`, change: (folder: string) => writeFileSync(join(folder, path), '') },
    { name: `${path}: gone`, change: (folder: string) => rmSync(join(folder, path)) },
    {
      name: `${path}: renamed`,
      change: (folder: string) => renameSync(join(folder, path), join(folder, `${path}.old`)),
    },
    {
      name: `${path}: the other mode`,
      change: (folder: string) => {
        const file = join(folder, path)
        chmodSync(file, statSync(file).mode & 0o111 ? 0o644 : 0o755)
      },
    },
  ])
}

const ADDED: readonly Mutation[] = [
  'run.mjs.bak',
  'lib/__pycache__/helper.cpython-311.pyc',
  'node_modules/x/index.js',
  '.hidden',
  'meta/rotation.sig',
  'meta/provenance.json',
  'Lib/helper.cjs',
  'tool.yaml',
].map((path) => ({
  name: `${path} added`,
  change: (folder) => writeFiles(folder, { [path]: path.endsWith('.json') ? '{}' : 'name: x\n' }),
}))

/** The signature itself: what it says, who says it, and how it is written. */
function mutationsOfSignature(): Mutation[] {
  const edit = (
    name: string,
    change: (sig: Record<string, unknown>, folder: string) => unknown,
  ): Mutation => ({
    name: `signature: ${name}`,
    change(folder) {
      const file = join(folder, SIGNATURE_FILE)
      const parts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown> // Orla wrote it
      writeFileSync(file, `${JSON.stringify(change(parts, folder) ?? parts, null, 2)}\n`)
    },
  })
  const set = (name: string, more: Record<string, unknown>) => edit(name, (sig) => ({ ...sig, ...more }))
  const other = generateKeyPair('other')
  const lines = (change: (all: string[]) => string[]) => (sig: Record<string, unknown>) => ({
    ...sig,
    listing: change(String(sig.listing).split('\n')).join('\n'),
  })
  const bits = Array.from({ length: 40 }, (_, index) =>
    edit(`character ${index}`, (sig) => {
      const text = String(sig.sig)
      const at = 40 + index * 5
      const swapped = text[at] === 'A' ? 'B' : 'A'
      return { ...sig, sig: text.slice(0, at) + swapped + text.slice(at + 1) }
    }),
  )
  const raw = (name: string, text: (before: string) => string): Mutation => ({
    name: `signature: ${name}`,
    change(folder) {
      const file = join(folder, SIGNATURE_FILE)
      writeFileSync(file, text(readFileSync(file, 'utf8')))
    },
  })
  return [
    ...bits,
    set('another version', { v: 2 }),
    set('no version', { v: undefined }),
    set('another key beside it', { key: other.publicKey }),
    set('no key', { key: undefined }),
    set('no signature', { sig: '' }),
    set('a number for a signature', { sig: 7 }),
    set('one key more', { extra: true }),
    set('an empty listing', { listing: '' }),
    edit('another one signed it, under the old name', (sig) => {
      const forged = JSON.parse(formatSignature(String(sig.listing), other)) as Record<string, unknown>
      return { ...sig, sig: forged.sig }
    }),
    edit('another one signed it, both replaced, after the first was seen', (sig) =>
      JSON.parse(formatSignature(String(sig.listing), other)),
    ),
    edit(
      'the name in the listing',
      lines((all) => all.with(1, 'acme.text.other')),
    ),
    edit(
      'the version in the listing',
      lines((all) => all.with(2, '9.9.9')),
    ),
    edit(
      'a line less',
      lines((all) => all.toSpliced(3, 1)),
    ),
    edit(
      'a line twice',
      lines((all) => all.toSpliced(3, 0, all[3] ?? '')),
    ),
    edit(
      'two lines exchanged',
      lines((all) => all.toSpliced(3, 2, all[4] ?? '', all[3] ?? '')),
    ),
    edit(
      'another first line',
      lines((all) => all.with(0, 'orla-package-v2')),
    ),
    edit('Windows line ends', (sig) => ({ ...sig, listing: String(sig.listing).replaceAll('\n', '\r\n') })),
    raw('not JSON', () => 'PGP'),
    raw('nothing', () => ''),
    raw('cut off', (before) => before.slice(0, -20)),
    raw('a key twice', (before) => before.replace('"v": 1,', '"v": 1,\n  "v": 1,')),
    raw('written in one line', (before) => JSON.stringify(JSON.parse(before))),
  ]
}

describe('a signed package that someone changed', () => {
  it('Q103: more than 200 mutations, each a real change, are all refused', async () => {
    const { dir, good, state, file, verify, world, request } = await makeSigned()
    expect(await verify(file)).toMatchObject({ outcome: 'unknown-key' })
    // From here on the key is known, as after a first install.
    await installPackages(world, request, installOf(file), YES)
    expect(await verify(file)).toMatchObject({ outcome: 'ok', passes: true })
    const mutations = [...mutationsOfFiles(pathsIn(good)), ...ADDED, ...mutationsOfSignature()]
    expect(mutations.length).toBeGreaterThanOrEqual(200)
    const passed: string[] = []
    const seen = new Map<string, number>()
    for (const { name, change } of mutations) {
      const folder = join(dir, 'mutant')
      cpSync(good, folder, { recursive: true })
      change(folder)
      expect(stateOf(folder), `${name} changes nothing`).not.toBe(state)
      // Unpacked already: that unpacking gives what was packed is shown below and beside the extractor.
      const result = await verify(folder)
      const outcome = result?.outcome ?? ''
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
      if (result?.passes !== false || !REFUSED.includes(outcome)) passed.push(`${name}: ${outcome}`)
      rmSync(folder, { recursive: true })
    }
    expect(passed).toEqual([])
    for (const outcome of ['bad-signature', 'content-mismatch', 'malformed', 'key-changed'])
      expect(seen.get(outcome), outcome).toBeGreaterThan(0)
  }, 120_000)

  it('Q103: bytes of the file itself: whatever gives other files is refused', async () => {
    const { dir, file, state, verify } = await makeSigned()
    const bytes = readFileSync(file)
    let changes = 0
    for (let step = 0; step < 60; step++) {
      const at = Math.floor((bytes.length * step) / 60)
      const mutant = join(dir, 'bytes.mcpkg')
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << (step % 8))
      writeFileSync(mutant, changed)
      const unpacked = join(dir, 'unpacked')
      const isSame = await extractArchive(mutant, unpacked).then(
        () => stateOf(unpacked) === state,
        () => false,
      )
      rmSync(unpacked, { recursive: true, force: true })
      if (isSame) continue // a date, for example: the package is the same
      changes++
      expect((await verify(mutant))?.passes, `byte ${at}`).toBe(false)
    }
    expect(changes).toBeGreaterThan(30)
  })

  it('Q103: what cannot be verified cannot be installed either', async () => {
    const { world, request, dir, good, file } = await makeSigned()
    await installPackages(world, request, installOf(file), YES)
    const sample: Mutation[] = [
      ...mutationsOfFiles(['run.mjs']).slice(0, 3),
      ...ADDED.slice(0, 2),
      ...mutationsOfSignature().slice(0, 2),
      ...mutationsOfSignature().slice(48, 50),
      { name: 'without its signature', change: (folder) => rmSync(join(folder, SIGNATURE_FILE)) },
    ]
    for (const { name, change } of sample) {
      const folder = join(dir, 'mutant')
      cpSync(good, folder, { recursive: true })
      change(folder)
      const mutant = join(dir, 'mutant.mcpkg')
      await packZip(folder, pathsIn(folder), mutant)
      rmSync(folder, { recursive: true })
      await expect(installPackages(world, request, installOf(mutant), YES), name).rejects.toMatchObject({
        code: 'E_SIGNATURE',
      })
    }
  })

  it('Q103: signing twice gives the same bytes; nothing is added to the end', async () => {
    const { world, request, file } = await makeSigned()
    const hash = () => createHash('sha256').update(readFileSync(file)).digest('hex')
    const before = hash()
    await signPackage(world, request, file, 'author')
    expect(hash()).toBe(before)
    const unpacked = join(file, '../again')
    mkdirSync(unpacked)
    await extractArchive(file, unpacked)
    const listing = signedListing(readFileSync(join(unpacked, SIGNATURE_FILE), 'utf8')) ?? ''
    expect(listing.split('\n').slice(0, 3)).toEqual(['orla-package-v1', 'acme.text.say', '1.0.0'])
  })
})

function installOf(file: string) {
  return {
    specs: [file],
    link: false,
    frozen: false,
    dryRun: false,
    force: false,
    test: false,
    allowDowngrade: false,
    offline: true,
    refresh: false,
  }
}
