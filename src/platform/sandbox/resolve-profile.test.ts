import { describe, expect, it } from 'vitest'
import type { Permission, PermissionPath } from '../../model/index.ts'
import { resolveProfile } from './resolve-profile.ts'
import { covering } from './within.ts'

const place = {
  package: '/p/tools/x/1.0.0',
  workspace: '/p',
  state: '/home/me/.orla/state/x',
  home: '/home/me',
  toolsFolder: '/p/tools',
  orlaHome: '/home/me/.orla',
  programFolders: ['/home/me/go/bin'],
}
const files = (access: 'read' | 'write', path: PermissionPath | null): Permission => ({
  kind: 'filesystem',
  access,
  path,
})
const workspace = (below: string): PermissionPath => ({ base: 'workspace', below })
const home = (below: string): PermissionPath => ({ base: 'home', below })
const accessTo = (permissions: readonly Permission[] | null, path: string) =>
  covering(resolveProfile(permissions, place).paths, path)?.access

describe('what a program may do', () => {
  it('Q91: is nothing without words', () => {
    expect(resolveProfile([], place)).toMatchObject({
      paths: [],
      network: { kind: 'none' },
      sockets: [],
      programs: [],
    })
  })

  it('Q91: without the key is the project, apart from its protected parts', () => {
    expect(resolveProfile(null, place).paths).toEqual([
      { path: '/p', access: 'write' },
      { path: '/p/.git', access: 'read' },
      { path: '/p/.mcp', access: 'read' },
      { path: '/p/orla.lock', access: 'read' },
      { path: '/p/orla.yaml', access: 'read' },
      { path: '/p/tools', access: 'read' },
    ])
  })

  it.each([
    ['/home/me/notes', 'read'],
    ['/home/me/.ssh/id', 'hidden'],
    ['/home/me/.config/gh/hosts.yml', 'hidden'],
    ['/home/me/.orla/keys', 'hidden'],
    ['/etc/shadow', 'hidden'],
    ['/run/docker.sock', 'hidden'],
  ])('Q91: bare filesystem:read, %s: %s', (path, access) => {
    expect(accessTo([files('read', null)], path)).toBe(access)
  })

  it.each([
    ['/home/me/notes', 'write'],
    ['/home/me/.bashrc', 'read'],
    ['/home/me/go/bin/x', 'read'],
    ['/usr/bin/x', 'read'],
    ['/p/.git/hooks/x', 'read'],
    ['/p/src', 'write'],
    ['/home/me/.ssh/id', 'hidden'],
  ])('Q91: bare filesystem:write, %s: %s', (path, access) => {
    expect(accessTo([files('write', null)], path)).toBe(access)
  })

  it('Q91: who names a protected part means it', () => {
    expect(accessTo([files('read', null), files('read', home('.ssh'))], '/home/me/.ssh/id')).toBe('read')
    expect(accessTo([files('read', home('.ssh/config'))], '/home/me/.ssh/config')).toBe('read')
    expect(accessTo([files('write', workspace('')), files('write', workspace('.git'))], '/p/.git/x')).toBe(
      'write',
    )
    expect(accessTo([files('write', workspace('')), files('read', workspace('.git'))], '/p/.git/x')).toBe(
      'read',
    )
  })

  it('Q91: part of a secret opens that part only', () => {
    const both = [files('read', null), files('read', home('.ssh/config'))]
    expect(accessTo(both, '/home/me/.ssh/config')).toBe('read')
    expect(accessTo(both, '/home/me/.ssh/id')).toBe('hidden')
  })

  it('Q91: words add up', () => {
    expect(accessTo([files('write', workspace('')), files('read', workspace('docs'))], '/p/docs/x')).toBe(
      'write',
    )
    expect(accessTo([files('read', workspace('a')), files('write', workspace('a'))], '/p/a/x')).toBe('write')
    expect(accessTo([files('read', null), files('write', home('out'))], '/home/me/out/x')).toBe('write')
  })

  it('Q91: a project that is the tools folder is not written', () => {
    const here = { ...place, toolsFolder: '/p' }
    expect(covering(resolveProfile(null, here).paths, '/p/new')?.access).toBe('read')
  })

  it('Q91: below the project no link is followed', () => {
    expect(resolveProfile([files('read', workspace('data'))], place).paths).toEqual([
      { path: '/p/data', access: 'read', pinned: true },
    ])
  })

  it('Q91: one word for all hosts wins over words for some', () => {
    const one: Permission = { kind: 'network', host: 'example.com', port: 443 }
    const all: Permission = { kind: 'network', host: null, port: null }
    expect(resolveProfile([one], place).network).toEqual({
      kind: 'hosts',
      hosts: [{ host: 'example.com', port: 443 }],
    })
    expect(resolveProfile([one, all], place).network).toEqual({ kind: 'any' })
  })

  it('Q91: sockets, programs and arguments', () => {
    const profile = resolveProfile(
      [
        { kind: 'socket', path: { base: 'root', below: 'run/x.sock' } },
        { kind: 'exec', name: 'git' },
        files('read', { base: 'argument', name: 'file' }),
        { kind: 'env', name: 'HOME' },
      ],
      place,
      { cpuMs: 1 },
    )
    expect(profile).toMatchObject({
      sockets: ['/run/x.sock'],
      programs: ['git'],
      argumentFiles: [{ name: 'file', access: 'read' }],
      limits: { cpuMs: 1 },
    })
  })
})
