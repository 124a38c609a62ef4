import { describe, expect, it } from 'vitest'
import type { Permission } from '../../model/index.ts'
import { withArgumentFiles } from './argument-files.ts'
import { resolveProfile } from './resolve-profile.ts'

const place = {
  package: '/p/tools/x/1.0.0',
  workspace: '/p',
  state: '/home/me/.orla/state/x',
  home: '/home/me',
  toolsFolder: '/p/tools',
  orlaHome: '/home/me/.orla',
  programFolders: ['/usr/bin'],
}
const argument = (access: 'read' | 'write'): Permission => ({
  kind: 'filesystem',
  access,
  path: { base: 'argument', name: 'file' },
})
const pathsFor = (permissions: readonly Permission[], file: unknown) =>
  withArgumentFiles(resolveProfile(permissions, place), { file: file as string }).paths

describe('the file that an argument names', () => {
  it('Q91: is opened for this call, and only this file', () => {
    expect(pathsFor([argument('read')], 'data/in.csv')).toEqual([
      { path: '/p/data/in.csv', access: 'read', pinned: true, isFile: true },
    ])
    expect(pathsFor([argument('write')], '/p/out.csv')).toEqual([
      { path: '/p/out.csv', access: 'write', pinned: true, isFile: true, create: true },
    ])
    expect(pathsFor([argument('read')], ['a', 'b']).map(({ path }) => path)).toEqual(['/p/a', '/p/b'])
    expect(pathsFor([argument('read')], undefined)).toEqual([])
    expect(pathsFor([argument('read')], 7)).toEqual([])
  })

  it.each([
    ['/etc/passwd', 'outside'],
    ['../other', 'outside'],
    ['.', 'outside'],
    ['a\0b', 'no path'],
  ])('Q91: %j is refused', (file, why) => {
    expect(() => pathsFor([argument('read')], file)).toThrow(why)
  })

  it.each(['orla.yaml', '.git/hooks/pre-commit', 'tools/evil', 'tools'])('Q91: %s is not written', (file) => {
    expect(() => pathsFor([argument('write')], file)).toThrow('protected')
    expect(pathsFor([argument('read')], file)).toHaveLength(1)
  })

  it('Q91: may lie outside where the package may go anyway', () => {
    const srv: Permission = { kind: 'filesystem', access: 'read', path: { base: 'root', below: 'srv' } }
    expect(pathsFor([srv, argument('read')], '/srv/x')).toEqual([{ path: '/srv', access: 'read' }])
    expect(() => pathsFor([srv, argument('write')], '/srv/x')).toThrow('outside')
  })
})
