import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ownerMark } from './owner.ts'
import { openStaging, sweepStaging } from './staging.ts'

const home = mkdtempSync(join(tmpdir(), 'orla-staging-host-'))
const host = join(home, 'host.mjs')
let root: string

/** Installs a version of two files over and over until it is killed. */
const HOST = `
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStaging } from ${JSON.stringify(fileURLToPath(new URL('./staging.ts', import.meta.url)))}
const [root] = process.argv.slice(2)
for (let i = 0; ; i++) {
  const staging = openStaging(root)
  writeFileSync(join(staging.dir, 'a'), String(i))
  writeFileSync(join(staging.dir, 'b'), String(i))
  await staging.commit(join(root, 'fs', '1.0.0'))
  if (i === 0) console.log('first')
}
`

beforeAll(async () => {
  writeFileSync(join(home, 'host.ts'), HOST)
  const bundle = await rolldown({ input: join(home, 'host.ts'), platform: 'node' })
  await bundle.write({ file: host, format: 'esm' })
  await bundle.close()
})
afterAll(() => rmSync(home, { recursive: true, force: true }))
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'orla-staging-')), 'tools')
})
afterEach(() => rmSync(dirname(root), { recursive: true, force: true }))

const DEAD = `999999999-1-${ownerMark().split('-')[2]}`
const ELSEWHERE = '1-1-0123456789ab'

function leaveBehind(owner: string): string {
  const folder = join(root, `.orla-staging-${owner}-0123456789ab`)
  mkdirSync(join(folder, 'new'), { recursive: true })
  writeFileSync(join(folder, 'new', 'half'), '')
  return folder
}

describe('openStaging', () => {
  it('Q59: fills a folder beside its destination and moves it there whole', async () => {
    const staging = openStaging(root)
    expect(dirname(dirname(staging.dir))).toBe(root)
    expect(basename(dirname(staging.dir))).toMatch(new RegExp(`^\\.orla-staging-${process.pid}-`))
    mkdirSync(join(staging.dir, 'bin'))
    writeFileSync(join(staging.dir, 'bin/x'), 'x')
    symlinkSync('bin/x', join(staging.dir, 'link'))
    expect(existsSync(join(root, 'fs'))).toBe(false)
    await staging.commit(join(root, 'fs', '1.0.0'))
    expect(readFileSync(join(root, 'fs/1.0.0/link'), 'utf8')).toBe('x')
    expect(readdirSync(root)).toEqual(['fs'])
    staging.discard()
    expect(readFileSync(join(root, 'fs/1.0.0/bin/x'), 'utf8')).toBe('x')
  })

  it('replaces what was there, folder or link', async () => {
    const final = join(root, 'fs', '1.0.0')
    mkdirSync(final, { recursive: true })
    writeFileSync(join(final, 'old'), '')
    const outside = join(dirname(root), 'mine')
    mkdirSync(outside)
    writeFileSync(join(outside, 'kept'), '')
    for (const text of ['one', 'two']) {
      const staging = openStaging(root)
      writeFileSync(join(staging.dir, 'new'), text)
      await staging.commit(final)
      expect(readFileSync(join(final, 'new'), 'utf8')).toBe(text)
      expect(readdirSync(final)).toEqual(['new'])
      rmSync(final, { recursive: true })
      symlinkSync(outside, final)
    }
    expect(readlinkSync(final)).toBe(outside)
    expect(readdirSync(outside)).toEqual(['kept'])
    expect(readdirSync(root)).toEqual(['fs'])
  })

  it('puts the old one back when the new one cannot take its place', async () => {
    const final = join(root, 'fs', '1.0.0')
    mkdirSync(final, { recursive: true })
    writeFileSync(join(final, 'old'), 'works')
    const staging = openStaging(root)
    rmSync(staging.dir, { recursive: true })
    await expect(staging.commit(final)).rejects.toMatchObject({ code: 'E_FILE' })
    expect(readFileSync(join(final, 'old'), 'utf8')).toBe('works')
    staging.discard()
    expect(readdirSync(root)).toEqual(['fs'])
  })

  it('Q61: keeps what was there until the new one is to stay', async () => {
    const final = join(root, 'fs', '1.0.0')
    const place = async (text: string) => {
      const staging = openStaging(root)
      writeFileSync(join(staging.dir, 'file'), text)
      return staging.swap(final)
    }
    const text = () => readFileSync(join(final, 'file'), 'utf8')
    const first = await place('first')
    first.undo()
    expect(readdirSync(root)).toEqual([])
    const old = await place('old')
    await old.finish()
    const bad = await place('bad')
    expect(text()).toBe('bad')
    bad.undo()
    expect(text()).toBe('old')
    const good = await place('good')
    await good.finish()
    expect(text()).toBe('good')
    expect(readdirSync(root)).toEqual(['fs'])
  })

  it('leaves nothing when it is discarded, and commits only below its root', async () => {
    const staging = openStaging(root)
    writeFileSync(join(staging.dir, 'x'), '')
    for (const path of [root, dirname(root), join(root, '..', 'x')])
      await expect(staging.commit(path)).rejects.toThrow('not below')
    staging.discard()
    expect(readdirSync(root)).toEqual([])
  })
})

describe('sweepStaging', () => {
  it('removes what dead processes left, and nothing of living ones', () => {
    const staging = openStaging(root)
    leaveBehind(DEAD)
    leaveBehind(ELSEWHERE)
    mkdirSync(join(root, '.orla-staging-notes'))
    sweepStaging(root)
    expect(readdirSync(root).sort()).toEqual(
      [
        basename(dirname(staging.dir)),
        `.orla-staging-${ELSEWHERE}-0123456789ab`,
        '.orla-staging-notes',
      ].sort(),
    )
    const old = new Date(Date.now() - 25 * 3_600_000)
    utimesSync(join(root, `.orla-staging-${ELSEWHERE}-0123456789ab`), old, old)
    sweepStaging(root)
    expect(existsSync(join(root, `.orla-staging-${ELSEWHERE}-0123456789ab`))).toBe(false)
    expect(existsSync(staging.dir)).toBe(true)
    sweepStaging(join(root, 'not', 'there'))
  })

  it('brings back what a killed process had moved aside, unless its place is taken', () => {
    for (const taken of [false, true]) {
      const folder = leaveBehind(DEAD)
      const final = join(root, 'fs', '1.0.0')
      mkdirSync(final, { recursive: true })
      writeFileSync(join(final, 'old'), 'works')
      writeFileSync(join(folder, 'place'), join('fs', '1.0.0'))
      renameSync(final, join(folder, 'old'))
      if (taken) {
        mkdirSync(final)
        writeFileSync(join(final, 'new'), '')
      }
      sweepStaging(root)
      expect(readdirSync(final)).toEqual([taken ? 'new' : 'old'])
      expect(readdirSync(root)).toEqual(['fs'])
    }
  })

  it('Q61: brings back what a killed process had replaced before it was sure', () => {
    for (const isOther of [false, true]) {
      const final = join(root, 'fs', '1.0.0')
      mkdirSync(final, { recursive: true })
      writeFileSync(join(final, 'new'), '')
      const folder = leaveBehind(DEAD)
      mkdirSync(join(folder, 'old'))
      writeFileSync(join(folder, 'old', 'old'), 'works')
      // The one that took the place is told from one that someone else put there since.
      const taken = lstatSync(isOther ? root : final).ino
      writeFileSync(join(folder, 'place'), `${join('fs', '1.0.0')}\n${taken}`)
      expect(sweepStaging(root)).toBe(!isOther)
      expect(readdirSync(final)).toEqual([isOther ? 'new' : 'old'])
      expect(readdirSync(root)).toEqual(['fs'])
      rmSync(final, { recursive: true })
    }
  })

  it('after a SIGKILL at any moment the version is whole', async () => {
    for (let trial = 0; trial < 12; trial++) {
      const child: ChildProcess = spawn(process.execPath, [host, root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout ?? child, 'data')
      // Not a wait for something: the moment of the kill is what varies.
      await pause(randomInt(0, 25))
      child.kill('SIGKILL')
      await once(child, 'exit')
      sweepStaging(root)
      const final = join(root, 'fs', '1.0.0')
      expect(readdirSync(final).sort()).toEqual(['a', 'b'])
      expect(readFileSync(join(final, 'a'), 'utf8')).toBe(readFileSync(join(final, 'b'), 'utf8'))
      expect(readdirSync(root)).toEqual(['fs'])
    }
  })
})
