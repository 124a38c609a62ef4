import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Permission, SandboxProfile } from '../../../model/index.ts'
import type { SeenPath } from '../look.ts'
import { resolveProfile } from '../resolve-profile.ts'
import { covering } from '../within.ts'
import { seatbeltPolicy } from './policy.ts'
import { type Form, readForms, readPolicy } from './policy-reader.contract.ts'

const place = {
  package: '/Users/me/p/tools/x/1.0.0',
  workspace: '/Users/me/p',
  state: '/Users/me/.orla/state/x',
  home: '/Users/me',
  toolsFolder: '/Users/me/p/tools',
  orlaHome: '/Users/me/.orla',
  programFolders: ['/opt/homebrew/bin'],
}

/** As if everything were there, each by its own path. */
function seenOf(profile: SandboxProfile): readonly SeenPath[] {
  const all: SeenPath[] = [
    ...profile.paths.map(({ path, access }) => ({ path, access, kind: 'folder' as const })),
    { path: profile.package, access: 'read', kind: 'folder' },
    { path: profile.state, access: 'write', kind: 'folder' },
  ]
  return all.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const policyOf = (permissions: readonly Permission[] | null) => {
  const profile = resolveProfile(permissions, place)
  return readPolicy(seatbeltPolicy(profile, seenOf(profile)))
}
type Policy = ReturnType<typeof policyOf>
const reads = (policy: Policy, path: string) => policy.decide('file-read-data', path) === 'allow'
const writes = (policy: Policy, path: string) => policy.decide('file-write-create', path) === 'allow'
const removes = (policy: Policy, path: string) => policy.decide('file-write-unlink', path) === 'allow'
const runs = (policy: Policy, path: string) => policy.decide('process-exec', path) === 'allow'
const dials = (policy: Policy, path: string) => policy.decide('network-outbound', path) === 'allow'
const has = (policy: Policy, operation: string) =>
  policy.rules.some(({ verdict, operations }) => verdict === 'allow' && operations.includes(operation))
const file = (
  access: 'read' | 'write',
  path: { base: 'workspace' | 'home' | 'root'; below: string } | null,
) => ({ kind: 'filesystem', access, path }) as const

describe('the policy of a program on macOS', () => {
  it('Q91: denies by default, before anything else is said', () => {
    const [version, first] = readForms(seatbeltPolicy(resolveProfile([], place), []))
    expect([version, first]).toEqual([
      ['version', '1'],
      ['deny', 'default'],
    ])
    const names = policyOf([]).rules.flatMap(({ operations }) => operations)
    expect(names.filter((name) => name === '*' || name === 'file*' || name === 'network*')).toEqual([])
  })

  it('Q91: names an operation without saying of what only where that tells nothing', () => {
    const everywhere = policyOf([{ kind: 'network', host: null, port: null }])
      .rules.filter(({ verdict, filters }) => verdict === 'allow' && filters.length === 0)
      .flatMap(({ operations }) => operations)
    expect(everywhere).toEqual(['process-fork'])
  })

  it('Q91: shows the package to read, the own home to write, and the system', () => {
    const policy = policyOf([])
    expect(reads(policy, join(place.package, 'bin/run'))).toBe(true)
    expect(writes(policy, join(place.package, 'bin/run'))).toBe(false)
    expect(writes(policy, join(place.state, 'kept'))).toBe(true)
    expect(runs(policy, '/bin/sh')).toBe(true)
    expect(runs(policy, '/private/var/select/sh')).toBe(true)
    expect(policy.decide('file-map-executable', '/usr/lib/libSystem.B.dylib')).toBe('allow')
    for (const path of ['/Users/me/p/notes', '/Users/me/.ssh/id', '/Users/other/x', '/private/tmp/x'])
      expect([path, reads(policy, path), writes(policy, path), runs(policy, path)]).toEqual([
        path,
        false,
        false,
        false,
      ])
    for (const path of ['/usr/local/var/db', '/System/Volumes/Data/Users/me/x', '/dev/ttys001', '/dev/disk0'])
      expect([path, reads(policy, path)]).toEqual([path, false])
    for (const path of ['/bin/sh', '/usr/lib/x', '/private/etc/hosts', '/dev/urandom', '/dev/disk0'])
      expect([path, writes(policy, path)]).toEqual([path, false])
    expect(policy.decide('file-write-data', '/dev/null')).toBe('allow')
    expect(reads(policy, '/dev/urandom')).toBe(true)
  })

  it('Q91: lets a program pass the folders above what it sees, and not list them', () => {
    const policy = policyOf([file('read', { base: 'workspace', below: 'a/b' })])
    expect(policy.decide('file-read-metadata', '/Users/me/p/a')).toBe('allow')
    expect(reads(policy, '/Users/me/p/a')).toBe(false)
    expect(policy.decide('file-read-metadata', '/Users/me/p/other')).toBe('deny')
  })

  it('Q91: reads and writes are what the words say', () => {
    const policy = policyOf([
      file('read', { base: 'workspace', below: 'data' }),
      file('write', { base: 'home', below: 'out' }),
      file('read', { base: 'root', below: 'opt/x' }),
    ])
    expect([reads(policy, '/Users/me/p/data/in'), writes(policy, '/Users/me/p/data/in')]).toEqual([
      true,
      false,
    ])
    expect([reads(policy, '/Users/me/out/x'), writes(policy, '/Users/me/out/x')]).toEqual([true, true])
    expect([reads(policy, '/opt/x/y'), writes(policy, '/opt/x/y'), reads(policy, '/opt/xy')]).toEqual([
      true,
      false,
      false,
    ])
    expect(reads(policy, '/Users/me/p/database')).toBe(false)
  })

  it('Q91: without the key the project is for writing, except its protected parts', () => {
    const policy = policyOf(null)
    expect(writes(policy, '/Users/me/p/data/new')).toBe(true)
    for (const path of ['.git/hooks/x', '.git', '.mcp/x', 'orla.yaml', 'orla.lock', 'tools/evil']) {
      const full = join(place.workspace, path)
      expect([path, reads(policy, full), writes(policy, full), removes(policy, full)]).toEqual([
        path,
        true,
        false,
        false,
      ])
    }
    expect(has(policy, 'network-outbound')).toBe(false)
  })

  it('Q91: what was granted to write stays where it is, for there its parts are protected', () => {
    const policy = policyOf(null)
    expect(removes(policy, place.workspace)).toBe(false)
    expect(removes(policy, '/Users/me/p/data')).toBe(true)
    expect(removes(policy, place.state)).toBe(false)
  })

  it('Q91: everything is without secrets, and without what runs by itself for who writes', () => {
    const all = policyOf([file('read', null)])
    expect(reads(all, '/Users/me/notes')).toBe(true)
    expect(writes(all, '/Users/me/notes')).toBe(false)
    for (const path of ['.ssh/id', '.aws/x', 'Library/Keychains/x', 'Library/Cookies/x', '.orla/config.yaml'])
      expect([path, reads(all, join(place.home, path))]).toEqual([path, false])
    expect(all.decide('file-read-metadata', '/Users/me/.ssh/id')).toBe('deny')
    expect(runs(all, '/Users/me/.ssh/tool')).toBe(false)
    expect(reads(all, '/dev/ttys000')).toBe(false)
    expect(reads(all, '/System/Volumes/Data/Users/me/.ssh/id')).toBe(false)
    // It lies in a folder that is hidden, and is its own.
    expect(reads(all, join(place.state, 'x'))).toBe(true)
    const some = policyOf([file('write', null)])
    expect(writes(some, '/Users/me/notes')).toBe(true)
    for (const path of [
      '/Users/me/.zshrc',
      '/Users/me/Library/LaunchAgents/x',
      '/Users/me/.ssh/authorized_keys',
      '/opt/homebrew/bin/git',
      '/Library/LaunchDaemons/x',
      '/Applications/x',
      '/private/etc/hosts',
      '/private/var/at/tabs/me',
      '/usr/bin/x',
    ])
      expect([path, writes(some, path)]).toEqual([path, false])
  })

  it('Q91: who names such a folder means it', () => {
    const policy = policyOf([
      file('write', null),
      file('write', { base: 'root', below: 'Applications/Mine.app' }),
    ])
    expect(writes(policy, '/Applications/Mine.app/x')).toBe(true)
    expect(writes(policy, '/Applications/Other.app/x')).toBe(false)
  })

  it('Q91: the network is off, or on without the sockets of the host', () => {
    const off = policyOf([])
    for (const name of ['network-outbound', 'network-bind', 'network-inbound', 'system-socket'])
      expect([name, has(off, name)]).toEqual([name, false])
    for (const host of [null, 'example.com']) {
      const on = policyOf([{ kind: 'network', host, port: null }])
      expect(has(on, 'network-outbound')).toBe(true)
      expect(dials(on, '/private/var/run/mDNSResponder')).toBe(true)
      expect(dials(on, '/private/var/run/docker.sock')).toBe(false)
      expect(dials(on, '/Users/me/p/host.sock')).toBe(false)
    }
  })

  it('Q91: a socket is named by its path, and by where that path really leads', () => {
    const policy = policyOf([{ kind: 'socket', path: { base: 'root', below: 'var/run/docker.sock' } }])
    expect(dials(policy, '/private/var/run/docker.sock')).toBe(true)
    expect(dials(policy, '/private/var/run/docker.sock2')).toBe(false)
    expect(dials(policy, '/private/var/run/mDNSResponder')).toBe(false)
    expect(JSON.stringify(policy.rules)).not.toContain('"ip"')
  })

  it('Q91: the words that are not about files change nothing', () => {
    const words: readonly Permission[] = [
      { kind: 'env', name: 'A' },
      { kind: 'secret', name: 'B' },
      { kind: 'exec', name: 'git' },
    ]
    const text = (permissions: readonly Permission[]) => {
      const profile = resolveProfile(permissions, place)
      return seatbeltPolicy(profile, seenOf(profile))
    }
    expect(text(words)).toBe(text([]))
  })

  it('Q91: folders that are links on every Mac are named by where they lead', () => {
    const seen: SeenPath[] = ['/tmp/a', '/var/b', '/etc/c', '/variety', '/tmp'].map((path) => ({
      path,
      access: 'read',
      kind: 'folder',
    }))
    const policy = readPolicy(seatbeltPolicy(resolveProfile([], place), seen))
    for (const path of ['/private/tmp/a/x', '/private/var/b', '/private/etc/c', '/variety/x'])
      expect([path, reads(policy, path)]).toEqual([path, true])
    expect(reads(policy, '/private/variety/x')).toBe(false)
  })

  it('Q91: a file is that file', () => {
    const seen: SeenPath[] = [{ path: '/p/file', access: 'write', kind: 'file' }]
    const policy = readPolicy(seatbeltPolicy(resolveProfile([], place), seen))
    expect([writes(policy, '/p/file'), writes(policy, '/p/file/x'), removes(policy, '/p/file')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

/** Names that would like to be more than names. */
const hostile = fc.oneof(
  fc.constantFrom(
    '"))(allow default)(("',
    'x") (subpath "/',
    '\\',
    '\\"',
    'a\nb',
    '\n(allow default)',
    ';',
    '#"x"',
    "'",
    '|x|',
    '日本',
    'é',
    'e\u0301',
    '\u202e',
    '(',
    ')',
    '"',
    ' ',
    '\t',
    '\r',
    '${HOME}',
    '*',
    '[a-z]',
    '\u0001',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
)
const segment = hostile
  .map((name) => name.replace(/[/\0]/g, '_'))
  .filter((name) => name !== '.' && name !== '..')
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`)
const entry: fc.Arbitrary<SeenPath> = fc.record({
  path: path.map((below) => `/Users/me${below}`),
  access: fc.constantFrom('hidden', 'read', 'write'),
  kind: fc.constant('folder' as const),
})
const distinct = fc
  .uniqueArray(entry, { maxLength: 8, selector: ({ path: name }) => name })
  .map((entries) => [...entries].sort((a, b) => (a.path < b.path ? -1 : 1)))

describe('names in a policy', () => {
  /** Which strings stand where, and nothing of what they say. */
  const shapeOf = (form: Form): unknown =>
    Array.isArray(form) ? form.map(shapeOf) : typeof form === 'string' ? form : '…'
  const textsOf = (form: Form): readonly string[] =>
    Array.isArray(form)
      ? form.flatMap(textsOf)
      : typeof form === 'object' && 'text' in form
        ? [form.text]
        : []

  it('Q91: never end a string and add a rule', () => {
    fc.assert(
      fc.property(distinct, fc.array(path, { maxLength: 2 }), (seen, sockets) => {
        const profile = { network: { kind: 'none' as const }, sockets }
        const plain = (paths: readonly string[]) => paths.map((_, index) => `/Users/me/${index}`)
        const forms = readForms(seatbeltPolicy(profile, seen))
        const paths = plain(seen.map(({ path: name }) => name))
        const harmless = readForms(
          seatbeltPolicy(
            { ...profile, sockets: plain(sockets) },
            seen.map((one, index) => ({ ...one, path: paths[index] ?? '' })),
          ),
        )
        // How many folders are passed depends on how deep a path is.
        const rules = (all: readonly Form[]) =>
          all.filter((form) => !JSON.stringify(form).includes('"literal"'))
        expect(rules(forms).map(shapeOf)).toEqual(rules(harmless).map(shapeOf))
        const verdicts = (all: readonly Form[]) => all.map((form) => (Array.isArray(form) ? form[0] : form))
        expect(verdicts(forms).filter((word) => word !== 'allow').length).toBe(
          verdicts(harmless).filter((word) => word !== 'allow').length,
        )
        const named = forms.flatMap(textsOf)
        for (const { path: name } of seen) expect(named).toContain(name)
      }),
      { numRuns: 200 },
    )
  })

  it('Q91: widen nothing: each path is what the innermost entry about it says', () => {
    fc.assert(
      fc.property(distinct, path, (seen, below) => {
        const policy = readPolicy(seatbeltPolicy({ network: { kind: 'none' }, sockets: [] }, seen))
        const asked = [`/Users/me${below}`, ...seen.flatMap((one) => [one.path, `${one.path}/x`])]
        for (const name of asked) {
          const access = covering(seen, name)?.access
          expect([name, reads(policy, name)]).toEqual([name, access === 'read' || access === 'write'])
          expect([name, writes(policy, name)]).toEqual([name, access === 'write'])
        }
        expect(reads(policy, '/Users/other')).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  it('Q91: that are none are refused', () => {
    const of = (name: string) => () =>
      seatbeltPolicy({ network: { kind: 'none' }, sockets: [] }, [
        { path: name, access: 'read', kind: 'folder' },
      ])
    expect(of('/a\0b')).toThrow('no path')
    expect(of('/a\ud800')).toThrow('no path')
  })
})
