import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Permission } from '../../../model/index.ts'
import { resolveProfile } from '../resolve-profile.ts'
import { confineWithSeatbelt } from './confine.ts'
import { readPolicy } from './policy-reader.contract.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'seatbelt-confine-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const at = (...names: readonly string[]) => join(root, ...names)
const place = {
  package: at('p/tools/x'),
  workspace: at('p'),
  state: at('home/.orla/state/x'),
  home: at('home'),
  toolsFolder: at('p/tools'),
  orlaHome: at('home/.orla'),
  programFolders: ['/usr/bin'],
}

beforeEach(() => {
  for (const name of ['p', 'home']) rmSync(at(name), { recursive: true, force: true })
  for (const name of ['p/tools/x', 'p/data', 'p/.git', 'home/.config/autostart', 'home/docs'])
    mkdirSync(at(name), { recursive: true })
  writeFileSync(at('p/notes'), '')
})

async function policyOf(permissions: readonly Permission[] | null) {
  const program = { file: '/bin/sh', args: [], cwd: place.package, env: { PATH: '/usr/bin:/bin' } }
  const options = { command: '/usr/bin/sandbox-exec', folder: root }
  const confined = confineWithSeatbelt(program, resolveProfile(permissions, place), options)
  await confined.close()
  const [word, text = ''] = confined.program.args
  expect(word).toBe('-p')
  const policy = readPolicy(text)
  // On a Mac these are links.
  const isAllowed = (operation: string, path: string) =>
    policy.decide(operation, path.replace(/^\/(?=tmp\/|var\/)/, '/private/')) === 'allow'
  return {
    makes: (path: string) => isAllowed('file-write-create', path),
    removes: (path: string) => isAllowed('file-write-unlink', path),
    reads: (path: string) => isAllowed('file-read-data', path),
    dials: (path: string) => isAllowed('network-outbound', path),
  }
}
const writeAll: Permission = { kind: 'filesystem', access: 'write', path: null }
const readAll: Permission = { kind: 'filesystem', access: 'read', path: null }

describe('the policy for folders as they are', () => {
  it('Q91: nothing new is made beside a protected part, in no spelling', async () => {
    const { makes, reads } = await policyOf(null)
    for (const name of ['orla.yaml', 'Orla.YAML', 'ORLA.LOCK', '.MCP', 'new'])
      expect([name, makes(at('p', name))]).toEqual([name, false])
    expect([makes(at('p/notes')), makes(at('p/data/new')), reads(at('p/notes'))]).toEqual([true, true, true])
  })

  it('Q91: the same where all of them are there, for someone may take one away', async () => {
    for (const name of ['orla.yaml', 'orla.lock']) writeFileSync(at('p', name), '')
    mkdirSync(at('p/.mcp'))
    const { makes, removes } = await policyOf(null)
    expect([makes(at('p/new')), makes(at('p/data/new'))]).toEqual([false, true])
    for (const name of ['orla.yaml', 'orla.lock', '.mcp/x', '.git/hooks/x', 'tools/evil'])
      expect([name, makes(at('p', name))]).toEqual([name, false])
    for (const name of ['orla.yaml', '.git', 'tools', ''])
      expect([name, removes(at('p', name))]).toEqual([name, false])
  })

  it('Q91: nothing on the way to a protected part is moved away', async () => {
    const { makes, removes } = await policyOf([writeAll])
    expect(makes(at('home/docs/new'))).toBe(true)
    for (const name of ['', '.config', '.config/autostart'])
      expect([name, removes(at('home', name))]).toEqual([name, false])
    expect(makes(at('home/.config/autostart/x'))).toBe(false)
  })

  it('Q91: a secret that is made later is hidden too', async () => {
    const { reads } = await policyOf([readAll])
    expect(reads(at('home/docs/x'))).toBe(true)
    expect(reads(at('home/.ssh/id'))).toBe(false)
  })

  it('Q91: a socket is reached where its name leads, unless others could have made the link', async () => {
    const socket = (below: string): Permission => ({
      kind: 'socket',
      path: { base: 'root', below: below.slice(1) },
    })
    writeFileSync(at('home/docs/real.sock'), '')
    symlinkSync(at('home/docs/real.sock'), at('home/linked.sock'))
    symlinkSync(at('home/docs/real.sock'), at('p/linked.sock'))
    expect((await policyOf([socket(at('home/linked.sock'))])).dials(at('home/docs/real.sock'))).toBe(true)
    expect((await policyOf([socket(at('p/linked.sock'))])).dials(at('home/docs/real.sock'))).toBe(false)
  })

  it('Q91: a link in the project opens nothing that it leads to', async () => {
    mkdirSync(at('home/.ssh'))
    symlinkSync(at('home/.ssh'), at('p/keys'))
    await expect(
      policyOf([{ kind: 'filesystem', access: 'read', path: { base: 'workspace', below: 'keys' } }]),
    ).rejects.toThrow('through a link')
    expect((await policyOf(null)).reads(at('home/.ssh/id'))).toBe(false)
  })
})
