import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { parsePermission } from './permission.ts'
import { addedPermissions } from './permission-set.ts'
import { describePermission } from './permission-words.ts'

describe('permission words', () => {
  it.each([
    ['filesystem:read', { kind: 'filesystem', access: 'read', path: null }],
    ['filesystem:write', { kind: 'filesystem', access: 'write', path: null }],
    [
      'filesystem:read:./data',
      { kind: 'filesystem', access: 'read', path: { base: 'workspace', below: 'data' } },
    ],
    ['filesystem:read:.', { kind: 'filesystem', access: 'read', path: { base: 'workspace', below: '' } }],
    [
      'filesystem:write:~/notes//x/',
      { kind: 'filesystem', access: 'write', path: { base: 'home', below: 'notes/x' } },
    ],
    [
      'filesystem:read:/etc/./hosts',
      { kind: 'filesystem', access: 'read', path: { base: 'root', below: 'etc/hosts' } },
    ],
    ['filesystem:write:$STATE', { kind: 'filesystem', access: 'write', path: { base: 'state', below: '' } }],
    [
      'filesystem:read:arg:path',
      { kind: 'filesystem', access: 'read', path: { base: 'argument', name: 'path' } },
    ],
    [
      'filesystem:read:./a:b',
      { kind: 'filesystem', access: 'read', path: { base: 'workspace', below: 'a:b' } },
    ],
    ['network', { kind: 'network', host: null, port: null }],
    ['network:Example.com', { kind: 'network', host: 'example.com', port: 443 }],
    ['network:*.example.com:8443', { kind: 'network', host: '*.example.com', port: 8443 }],
    ['network:127.0.0.1:80', { kind: 'network', host: '127.0.0.1', port: 80 }],
    ['network:[::1]:8080', { kind: 'network', host: '[::1]', port: 8080 }],
    ['env:HOME', { kind: 'env', name: 'HOME' }],
    ['secret:API_KEY', { kind: 'secret', name: 'API_KEY' }],
    ['exec:git', { kind: 'exec', name: 'git' }],
    ['socket:/run/x.sock', { kind: 'socket', path: { base: 'root', below: 'run/x.sock' } }],
  ])('Q43: %s', (word, permission) => {
    expect(parsePermission(word)).toEqual(permission)
  })

  it('Q43: a word that begins with x- is passed over', () => {
    expect(parsePermission('x-gpu')).toBeUndefined()
  })

  it.each([
    ['filesytem:read', 'did you mean filesystem:read?'],
    ['everything', /^the words are/],
    ['', /^the words are/],
    ['filesystem', /filesystem:read or filesystem:write/],
    ['filesystem:execute', /filesystem:read or filesystem:write/],
    ['filesystem:read:', /\.\/x/],
    ['filesystem:read:data', 'write ./data'],
    ['filesystem:read:../x', /\.\/x/],
    ['filesystem:read:./a/../../x', /\.\/x/],
    ['filesystem:read:./*.txt', /\.\/x/],
    ['filesystem:read:~root/x', /\.\/x/],
    ['filesystem:read:$HOME/x', /\.\/x/],
    ['filesystem:read:$STATEFUL', /\.\/x/],
    ['filesystem:read:./$STATE', /\.\/x/],
    ['filesystem:read:C:\\x', /\.\/x/],
    ['filesystem:read:./a\u0000b', /\.\/x/],
    ['filesystem:read:./a\u202eb', /\.\/x/],
    ['filesystem:read:arg:', /\.\/x/],
    ['network:', 'for example network:example.com'],
    ['network:*', /bare network/],
    ['network:*.com', /\*\.example\.com is the only pattern/],
    ['network:a.*.com', /\*\.example\.com is the only pattern/],
    ['network:https://example.com/x', 'write network:example.com'],
    ['network:exa mple.com', 'for example network:example.com'],
    ['network:169.254.169.254', undefined],
    ['network:169.254.169.254:80', undefined],
    ['network:[fe80::1]:80', undefined],
    ['network:[::FFFF:169.254.169.254]:80', undefined],
    ['network:example.com:0', undefined],
    ['network:example.com:99999', undefined],
    ['network:example.com:https', undefined],
    ['env', 'for example env:API_KEY'],
    ['env:A=B', 'for example env:API_KEY'],
    ['secret:', 'for example secret:API_KEY'],
    ['exec:/bin/sh', 'for example exec:git'],
    ['exec:-c', 'for example exec:git'],
    ['exec:*', 'for example exec:git'],
    ['socket', 'for example socket:/run/service.sock'],
  ])('Q43: %j is refused', (word, hint) => {
    const parsed = parsePermission(word)
    expect(parsed).toHaveProperty('problem.message')
    const said = parsed && 'problem' in parsed ? parsed.problem.hint : undefined
    if (hint instanceof RegExp) expect(said).toMatch(hint)
    else expect(said).toBe(hint)
  })

  it('never throws', () => {
    const start = fc.constantFrom(
      '',
      'filesystem:',
      'filesystem:read:',
      'network:',
      'env:',
      'exec:',
      'socket:',
      'x-',
    )
    fc.assert(
      fc.property(start, anyText(), (prefix, rest) => {
        const parsed = parsePermission(prefix + rest)
        if (parsed && 'kind' in parsed)
          expect(describePermission(parsed)).not.toMatch(/[\u0000-\u001f\u202e]/)
      }),
    )
  })
})

describe('what people are told', () => {
  it.each([
    ['filesystem:read', 'reads ALL your files, except secrets'],
    ['filesystem:write', 'reads and changes ALL your files, except secrets'],
    ['filesystem:read:./x', 'reads files below ./x'],
    ['filesystem:write:./', 'reads and changes files of the project'],
    ['filesystem:read:~', 'reads ALL files in your home folder, except secrets'],
    ['filesystem:read:/', 'reads ALL your files, except secrets'],
    ['filesystem:read:/etc', 'reads files below /etc'],
    ['filesystem:write:$STATE', 'reads and changes files in a folder of its own'],
    ['filesystem:read:arg:path', 'reads the file that the argument path names'],
    ['network', 'connects to ANY host'],
    ['network:example.com', 'connects to example.com'],
    ['network:*.example.com:80', 'connects to every host below example.com on port 80'],
    ['env:HOME', 'sees your variable HOME'],
    ['secret:KEY', 'gets your secret KEY'],
    ['exec:git', 'runs the program git'],
    ['socket:~/x.sock', 'talks through the socket ~/x.sock'],
  ])('Q90: %s: it %s', (word, words) => {
    const parsed = parsePermission(word)
    if (parsed === undefined || 'problem' in parsed) throw new Error(word)
    expect(describePermission(parsed)).toBe(words)
  })
})

describe('what an update adds', () => {
  it.each([
    [['filesystem:read:./a'], ['filesystem:read:./a'], []],
    [['filesystem:write:./a'], ['filesystem:read:./a/b'], []],
    [['filesystem:read:./a'], ['filesystem:write:./a'], ['filesystem:write:./a']],
    [['filesystem:read:./a'], ['filesystem:read:./ab'], ['filesystem:read:./ab']],
    [['filesystem:read'], ['filesystem:read:./a', 'filesystem:read:~/.ssh'], ['filesystem:read:~/.ssh']],
    [['filesystem:read:./a'], ['filesystem:read'], ['filesystem:read']],
    [
      ['filesystem:write:./'],
      ['filesystem:write:./data', 'filesystem:write:./.git'],
      ['filesystem:write:./.git'],
    ],
    [['network'], ['network:example.com'], []],
    [['network:*.example.com'], ['network:a.example.com', 'network:example.com'], ['network:example.com']],
    [
      ['network:example.com'],
      ['network:EXAMPLE.com:443', 'network:example.com:80'],
      ['network:example.com:80'],
    ],
    [['env:A'], ['env:A', 'secret:A', 'x-more'], ['secret:A']],
    [['socket:/a'], ['socket:/a/', 'socket:/a/b'], ['socket:/a/b']],
    [['exec:git'], ['broken'], ['broken']],
    [[], null, ['filesystem:write:./']],
    [null, ['filesystem:read:./x'], []],
    [null, null, []],
  ])('Q90: from %j to %j is %j', (before, after, added) => {
    expect(addedPermissions(before, after)).toEqual(added)
  })
})
