import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { SandboxPath, SandboxProfile } from '../../model/index.ts'
import { findBwrap } from './find-bwrap.ts'
import { programPrefixes } from './interpreter.ts'
import { lookAtPaths } from './look.ts'
import { pinBelow, pinnedPath, placeBelow } from './pin.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'look-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (...parts: readonly string[]) => join(folder, ...parts)
for (const name of ['project/data/deep', 'package', 'home/.nvm/bin', 'home/.local/bin', 'home/bin']) {
  mkdirSync(at(name), { recursive: true })
}
writeFileSync(at('project/data/file'), 'text')
symlinkSync(at('home'), at('project/link'))

const profileOf = (paths: readonly SandboxPath[], programs: readonly string[] = []): SandboxProfile => ({
  package: at('package'),
  workspace: at('project'),
  state: at('state'),
  home: at('home'),
  paths,
  protected: { secrets: [], frozen: [] },
  argumentFiles: [],
  network: { kind: 'none' },
  sockets: [],
  programs,
  limits: {},
})
const openFiles = () => readdirSync('/proc/self/fd').length

describe.skipIf(process.platform !== 'linux')('what lies at a path', () => {
  it('Q91: is held whatever happens to the path', () => {
    const held = pinBelow(at('project'), at('project/data/file'))
    if (held === undefined) throw new Error('nothing is there')
    rmSync(at('project/data/file'))
    symlinkSync('/etc/hostname', at('project/data/file'))
    writeFileSync(at('project/data/other'), '')
    expect(readFileSync(pinnedPath(held), 'utf8')).toBe('text')
    rmSync(at('project/data/file'))
    writeFileSync(at('project/data/file'), 'text')
  })

  it.each(['link', 'link/.nvm', 'link/x'])('Q91: %s is not followed', (path) => {
    expect(() => pinBelow(at('project'), at('project', path))).toThrow('through a link')
  })

  it('Q91: is made only when asked, and never through a link', () => {
    expect(pinBelow(at('project'), at('project/none'))).toBeUndefined()
    expect(pinBelow(at('project'), at('project/made'), true)).toBeGreaterThan(0)
    symlinkSync(at('home/planted'), at('project/leads-out'))
    expect(() => pinBelow(at('project'), at('project/leads-out'), true)).toThrow('through a link')
    expect(readdirSync(at('home'))).not.toContain('planted')
  })

  it('lets go of what was held, also when it refuses', () => {
    const before = openFiles()
    const data: SandboxPath = { path: at('project/data'), access: 'read', pinned: true }
    const seen = lookAtPaths(profileOf([data]), [])
    expect(openFiles()).toBe(before + 1)
    expect(seen.paths.map(({ path, access }) => [path, access])).toEqual([
      [at('package'), 'read'],
      [at('project/data'), 'read'],
      [at('state'), 'write'],
    ])
    seen.close()
    const link: SandboxPath = { path: at('project/link'), access: 'read', pinned: true }
    expect(() => lookAtPaths(profileOf([data, link]), [])).toThrow('through a link')
    expect(openFiles()).toBe(before)
  })

  it('Q91: nothing of /proc and /dev is shown on request', () => {
    const seen = lookAtPaths(
      profileOf([
        { path: '/proc', access: 'read' },
        { path: '/dev/mem', access: 'read' },
      ]),
      [],
    )
    expect(seen.paths.map(({ path }) => path)).toEqual([at('package'), at('state')])
  })
})

describe('what lies at a path where nothing can be held', () => {
  it.each(['link', 'link/.nvm', 'link/bin'])('Q91: %s is not followed', (path) => {
    expect(() => placeBelow(at('project', path))).toThrow('through a link')
  })

  it('Q91: is its path, and is made only when asked and never through a link', () => {
    expect(placeBelow(at('project/data/deep'))).toBe(at('project/data/deep'))
    expect(placeBelow(at('project/nothing'))).toBeUndefined()
    expect(placeBelow(at('project/made-here'), true)).toBe(at('project/made-here'))
    expect(() => placeBelow(at('project/link/planted-too'), true)).toThrow('through a link')
    symlinkSync(at('home/planted-too'), at('project/leads-away'))
    expect(placeBelow(at('project/leads-away'), true)).toBeUndefined()
    expect(readdirSync(at('home'))).not.toContain('planted-too')
  })

  it('Q91: holds nothing open, and a folder is not what an argument may name', () => {
    const data: SandboxPath = { path: at('project/data'), access: 'read', pinned: true }
    const { paths } = lookAtPaths(profileOf([data]), [], false)
    expect(paths).toContainEqual({ path: at('project/data'), access: 'read', kind: 'folder' })
    expect(() => lookAtPaths(profileOf([{ ...data, isFile: true }]), [], false)).toThrow('is a folder')
  })
})

describe('where a program and its interpreter lie', () => {
  const script = (path: string, text: string): string => {
    writeFileSync(path, text)
    chmodSync(path, 0o755)
    return path
  }
  const prefixes = (file: string, programs: readonly string[] = []) =>
    programPrefixes(
      { file, cwd: folder, env: { PATH: `${at('home/.nvm/bin')}:/usr/bin:/bin` } },
      profileOf([], programs),
    )

  it('the system folders and the package are seen anyway', () => {
    expect(prefixes('/bin/sh')).toEqual([])
    expect(prefixes(script(at('package/run'), '#!/bin/sh\n'))).toEqual([])
  })

  it('an interpreter elsewhere brings its prefix', () => {
    script(at('home/.nvm/bin/mynode'), '')
    expect(prefixes(script(at('package/run'), '#!/usr/bin/env mynode\n'))).toEqual([at('home/.nvm')])
    expect(prefixes('mynode')).toEqual([at('home/.nvm')])
    expect(prefixes('/bin/sh', ['mynode'])).toEqual([at('home/.nvm')])
  })

  it('Q91: one that is in no folder of the PATH is refused, whatever a package calls its PATH', () => {
    const strange = (file: string, programFolders: readonly string[], programs: readonly string[] = []) =>
      programPrefixes(
        { file, cwd: folder, env: { PATH: `${at('home/docs')}:/usr/bin:/bin` } },
        { ...profileOf([], programs), programFolders },
      )
    mkdirSync(at('home/docs'), { recursive: true })
    const other = script(at('home/docs/other'), '')
    for (const first of [`#!${other}`, '#!/usr/bin/env other', `#!/usr/bin/env -S ${other}`]) {
      const run = script(at('package/run'), `${first}\n`)
      expect(() => strange(run, ['/usr/bin'])).toThrow('in no folder of the PATH')
      // Where the person runs programs from, it is theirs.
      expect(strange(run, [at('home/docs')])).toEqual([at('home/docs')])
    }
    expect(() => strange(other, ['/usr/bin'])).toThrow('in no folder of the PATH')
    expect(() => strange('/bin/sh', ['/usr/bin'], ['other'])).toThrow('in no folder of the PATH')
    // A hook may have made the link.
    symlinkSync(other, at('package/linked'))
    expect(() => strange(at('package/linked'), ['/usr/bin'])).toThrow('in no folder of the PATH')
    rmSync(at('package/linked'))
  })

  it('Q91: secrets beside a program stay hidden, and a folder of secrets is no place for one', () => {
    const mine = script(at('home/.nvm/bin/mynode'), '')
    const secret = at('home/.nvm/credentials')
    writeFileSync(secret, '')
    const profile = { ...profileOf([]), protected: { secrets: [secret], frozen: [] } }
    const seen = lookAtPaths(profile, [at('home/.nvm')])
    seen.close()
    expect(seen.paths).toContainEqual({ path: secret, access: 'hidden', kind: 'file' })
    rmSync(secret)
    const all = { ...profile, protected: { secrets: [at('home/.nvm')], frozen: [] } }
    expect(() => programPrefixes({ file: mine, cwd: folder, env: {} }, all)).toThrow('is to run it')
  })

  it('Q91: one that would show the whole home is refused', () => {
    const mine = script(at('home/bin/mine'), '')
    expect(() => prefixes(script(at('package/run'), `#!${mine}\n`))).toThrow('would show the sandbox all of')
    const local = script(at('home/.local/bin/mine'), '')
    expect(prefixes(script(at('package/run'), `#!${local}\n`))).toEqual([local])
  })
})

it.skipIf(process.platform !== 'linux')('Q91: bwrap is taken only from where nobody else can put one', () => {
  writeFileSync(at('bwrap'), '')
  chmodSync(at('bwrap'), 0o777)
  chmodSync(folder, 0o777)
  expect(findBwrap([folder])).toBeUndefined()
})
