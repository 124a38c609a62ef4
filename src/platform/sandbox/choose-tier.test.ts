import { describe, expect, it } from 'vitest'
import type { Permission } from '../../model/index.ts'
import { chooseTier } from './choose-tier.ts'
import type { SandboxTier } from './enforceable.ts'
import { resolveProfile } from './resolve-profile.ts'

const place = {
  package: '/p/tools/x/1.0.0',
  workspace: '/p',
  state: '/home/me/.orla/state/x',
  home: '/home/me',
  toolsFolder: '/p/tools',
  orlaHome: '/home/me/.orla',
  programFolders: [],
}
const tier = (backend: SandboxTier['backend'], more: Partial<SandboxTier> = {}): SandboxTier => ({
  backend,
  launcher: true,
  filter: backend !== 'none',
  landlock: backend === 'landlock' ? 6 : 0,
  counting: 'user',
  ...more,
})
const all = [tier('bwrap'), tier('landlock'), tier('none')]
const choose = (permissions: readonly Permission[] | null, tiers = all, spared: readonly string[] = []) =>
  chooseTier(resolveProfile(permissions, place), tiers, spared).enforcement

describe('the tier for a program', () => {
  it('Q91: is the one that leaves least open', () => {
    expect(choose([])).toEqual({
      backend: 'bwrap',
      enforced: [
        'files',
        'metadata of files',
        'network',
        'unix sockets',
        'other processes',
        'kernel interfaces',
      ],
      unenforced: [],
    })
    expect(choose([], all.slice(1))).toMatchObject({ backend: 'landlock', unenforced: ['metadata of files'] })
    expect(choose([], all.slice(2))).toMatchObject({ backend: 'none', enforced: [] })
  })

  it('Q91: is the light one where that is enough and takes nothing away', () => {
    const spared = ['metadata of files']
    expect(choose([], all, spared).backend).toBe('landlock')
    // In pieces, nothing new could be made in the project.
    expect(choose(null, all, spared).backend).toBe('bwrap')
    expect(choose([{ kind: 'socket', path: { base: 'root', below: 'x' } }], all, spared).backend).toBe(
      'bwrap',
    )
  })

  it('Q91: without launcher or filter says what nobody applies', () => {
    expect(choose([], [tier('bwrap', { launcher: false }), tier('none')]).unenforced).toEqual([])
    expect(choose([], [tier('bwrap', { filter: false }), tier('none')]).unenforced).toEqual([
      'unix sockets',
      'kernel interfaces',
    ])
    const limited = resolveProfile([], place, { cpuMs: 1, memoryBytes: 1, processes: 1, fileBytes: 1 })
    const { unenforced } = chooseTier(limited, [tier('bwrap', { launcher: false })]).enforcement
    expect(unenforced).toEqual(['processor time', 'memory', 'number of processes', 'size of files'])
  })

  it('Q91: says that the system does not count the processes of root', () => {
    const limited = resolveProfile([], place, { processes: 1 })
    expect(chooseTier(limited, [tier('bwrap', { counting: 'none' })]).enforcement.unenforced).toEqual([
      'number of processes',
    ])
  })

  it('Q91: holds a program to single hosts in bwrap, where each can have an address', () => {
    const host = (name: string): Permission => ({ kind: 'network', host: name, port: 443 })
    expect(choose([host('example.com'), host('[::1]'), host('127.0.0.1')]).unenforced).toEqual([])
    expect(choose([host('example.com')], all.slice(1)).unenforced).toContain('network hosts')
    expect(choose([host('*.example.com'), host('example.com')]).unenforced).toEqual([])
    expect(choose([host('10.0.0.1'), host('[fd12::1]')]).unenforced).toEqual([])
    const alone = all.map((tier) => ({ ...tier, launcher: false }))
    expect(choose([host('10.0.0.1')], alone).unenforced).toContain('network hosts')
    expect(choose([host('127.0.0.1')], alone).unenforced).not.toContain('network hosts')
    expect(choose([{ kind: 'network', host: null, port: null }]).enforced).not.toContain('network')
  })

  it('Q91: says that a way to hosts opens the sockets a program can see', () => {
    const host: Permission = { kind: 'network', host: 'example.com', port: 443 }
    const read: Permission = { kind: 'filesystem', access: 'read', path: { base: 'workspace', below: '' } }
    expect(choose([host, read]).unenforced).toEqual(['unix sockets'])
  })

  it('Q91: says that an older kernel lets signals out', () => {
    expect(choose([], [tier('landlock', { landlock: 5 })]).unenforced).toContain('other processes')
  })
})
