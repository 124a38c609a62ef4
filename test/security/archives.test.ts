import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tar, zip } from '../archive-kit.ts'
import { packageFiles, serveHttp } from '../stories/mcpkg-kit.ts'
import { makeProject, type Project } from '../stories/project.ts'
import { ATTACKS, type Ground, packTar, packZip } from './archive-attacks.ts'
import { readTar, readZip, unpackNaively } from './naive-archive.ts'

const FORMATS = ['zip', 'tar'] as const
type Format = (typeof FORMATS)[number]

const readNaively = { zip: readZip, tar: (bytes: Buffer) => readTar(gunzipSync(bytes)) }
const pack = { zip: () => packZip([]), tar: () => packTar([]) }
const NAMES = { zip: 'evil.zip', tar: 'evil.tar.gz' }
/** What takes it; an .mcpkg is a zip, and is validated without being unpacked. */
const COMMANDS = {
  zip: [
    ['install', '--local', 'evil.zip', '--yes'],
    ['validate', 'evil.mcpkg'],
  ],
  tar: [
    ['install', '--local', 'evil.tar.gz', '--yes'],
    ['validate', 'evil.tar.gz'],
  ],
}

function makeGround(): Ground {
  const outside = mkdtempSync(join(tmpdir(), 'orla-ground-'))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  writeFileSync(join(outside, 'precious'), 'mine')
  mkdirSync(join(outside, 'inside'))
  return { outside, inside: join(outside, 'inside') }
}

/** Everything around a project, but what Orla keeps of itself. */
function everything(project: Project, ground: Ground): string[] {
  return [dirname(project.dir), ground.outside].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => !/^home\/(cache|run)(\/|$)/.test(path))
      .map((path) => [path, statSync(join(root, path))] as const)
      .map(([path, stat]) => (stat.isFile() ? `${path} ${stat.size} ${stat.mtimeMs}` : path))
      .sort(),
  )
}

/** By every command that takes it, with nothing left of it anywhere. */
async function expectRefused(format: Format, bytes: Buffer, words: RegExp, ground: Ground): Promise<void> {
  const project = makeProject({ 'orla.yaml': '' })
  mkdirSync(join(project.dir, 'tools'))
  mkdirSync(project.env.ORLA_HOME ?? '')
  for (const name of [NAMES[format], 'evil.mcpkg']) writeFileSync(join(project.dir, name), bytes)
  const before = everything(project, ground)
  await Promise.all(
    COMMANDS[format].map(async (args) => {
      const { status, stdout, stderr } = await project.orla(args)
      expect([status, stdout], args.join(' ')).toEqual([3, ''])
      expect(stderr, args.join(' ')).toMatch(words)
      expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    }),
  )
  expect(everything(project, ground)).toEqual(before)
}

describe.each(FORMATS)('a hostile archive, %s', (format) => {
  it('Q37, Q95: without anything hostile in it is installed', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    writeFileSync(join(project.dir, NAMES[format]), pack[format]())
    const mcpkg = Object.entries(packageFiles('acme.evil', '1.0.0')).map(([name, data]) => ({ name, data }))
    writeFileSync(join(project.dir, 'evil.mcpkg'), zip(mcpkg))
    for (const args of [...COMMANDS[format], ['install', 'evil.mcpkg', '--yes']]) {
      const { status, stderr } = await project.orla(args)
      expect([status, stderr], args.join(' ')).toEqual([0, expect.any(String)])
    }
    expect((await project.orla(['call', 'evil'])).stdout).toBe('good\n')
  })

  const attacks = Object.entries(ATTACKS).filter(([, attack]) => attack[format] !== undefined)
  it.each(attacks)('Q37, Q95: %s: does harm to who trusts it, and is refused whole', async (_, attack) => {
    const ground = makeGround()
    const bytes = attack[format]?.(ground) ?? Buffer.alloc(0)
    expect(attack.harms(ground, readNaively[format](bytes), bytes)).toBe(true)
    const fresh = makeGround()
    await expectRefused(format, attack[format]?.(fresh) ?? bytes, attack.words, fresh)
  })

  it('Q37, Q95: setuid and what everyone may write: is made so by who trusts it, and masked', async () => {
    const { inside } = makeGround()
    const entry = { name: 'bin/root', data: '#!/bin/sh\n', mode: 0o6777 }
    const bytes = format === 'zip' ? packZip([{ ...entry, mode: 0o106777 }]) : packTar([entry])
    const mode = (folder: string) => statSync(join(folder, 'bin/root')).mode & 0o7777
    unpackNaively(readNaively[format](bytes), inside)
    expect(mode(inside)).toBe(0o6777)
    const project = makeProject({ 'orla.yaml': '' })
    writeFileSync(join(project.dir, NAMES[format]), bytes)
    expect((await project.orla(['install', '--local', NAMES[format], '--yes'])).status).toBe(0)
    expect(mode(join(project.dir, 'tools/evil/1.0.0'))).toBe(0o755)
  })
})

/** More than is ever unpacked, with enough noise in it for the ratio to be fine. Each piece is packed once. */
function endlessTar(): Buffer {
  const open = (entries: Parameters<typeof tar>[0]) => gzipSync(tar(entries, Buffer.alloc(0)))
  const zeros = gzipSync(Buffer.alloc(8 * MIB))
  const files = Array.from({ length: 33 }, (_, index) => [
    open([{ name: `f${index}`, size: 8 * MIB }]),
    zeros,
  ])
  return Buffer.concat([
    open([{ name: 'noise', data: randomBytes(3 * MIB) }]),
    ...files.flat(),
    gzipSync(Buffer.alloc(1024)),
  ])
}

const MIB = 1_048_576

describe('an archive', () => {
  it('Q37: of more than 256 MiB is unpacked by who trusts it, and refused while it is unpacked', async () => {
    const bytes = endlessTar()
    const unpacked = gunzipSync(bytes).length
    expect([unpacked > 256 * MIB, unpacked < 100 * bytes.length]).toEqual([true, true])
    await expectRefused('tar', bytes, /unpacks to more than 268435456 bytes/, makeGround())
  })

  it.each(FORMATS)('Q104: that is hostile is refused when it is downloaded: %s', async (format) => {
    const ground = makeGround()
    const name = NAMES[format]
    const attack = ATTACKS['a name that climbs out']?.[format]?.(ground) ?? Buffer.alloc(0)
    const { url, requests } = await serveHttp(({ path }) => ({
      body: path === `/hostile/${name}` ? attack : pack[format](),
    }))
    const project = makeProject({ 'orla.yaml': '' })
    expect((await project.orla(['install', `${url}/${name}`, '--yes'])).status).toBe(0)
    expect((await project.orla(['uninstall', 'evil'])).status).toBe(0)
    const { status, stderr } = await project.orla(['install', `${url}/hostile/${name}`, '--yes'])
    expect([status, stderr]).toEqual([3, expect.stringMatching(/"\.\.\/planted" leaves its folder/)])
    expect(requests.map(({ path }) => path)).toEqual([`/${name}`, `/hostile/${name}`])
    expect(readdirSync(join(project.dir, 'tools'))).toEqual([])
  })
})
