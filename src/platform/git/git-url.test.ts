import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkGitUrl, originOf } from './git-url.ts'
import { checkCommit, checkFile, checkTag } from './names.ts'

describe('checkGitUrl', () => {
  it.each([
    ['https://git.example.com/a/b.git', 'https', 'https://git.example.com/a/b.git'],
    ['HTTPS://Git.Example.com/a', 'https', 'https://git.example.com/a'],
    ['http://127.0.0.1:8080/a', 'http', 'http://127.0.0.1:8080/a'],
    ['http://localhost/a', 'http', 'http://localhost/a'],
    ['http://[::1]:80/a', 'http', 'http://[::1]/a'],
    ['ssh://git@host/a b', 'ssh', 'ssh://git@host/a b'],
    ['ssh://git@host:2222/~/a', 'ssh', 'ssh://git@host:2222/~/a'],
    ['ssh://host/a', 'ssh', 'ssh://host/a'],
    ['git+ssh://git@host/a', 'ssh', 'ssh://git@host/a'],
    ['ssh+git://git@host/a', 'ssh', 'ssh://git@host/a'],
    ['ssh://git:secret@host/a', 'ssh', 'ssh://git@host/a'],
    ['git@host:a/b.git', 'ssh', 'git@host:a/b.git'],
    ['host:a/b.git', 'ssh', 'host:a/b.git'],
    ['git@[::1]:a', 'ssh', 'git@[::1]:a'],
    ['[host:2222]:a', 'ssh', '[host:2222]:a'],
    ['file:///srv/a', 'file', 'file:///srv/a'],
    ['/srv/a/../b', 'file', '/srv/b'],
    ['./a', 'file', '/work/dir/a'],
    ['../a', 'file', '/work/a'],
    ['a/b:c', 'file', '/work/dir/a/b:c'],
  ])('Q49: takes %s', (text, kind, url) => {
    expect(checkGitUrl(text, '/work/dir')).toEqual({ url, kind })
  })

  it('keeps a password apart from the address', () => {
    expect(checkGitUrl('https://me:s%40cret@host/a')).toEqual({
      url: 'https://host/a',
      kind: 'https',
      credential: { user: 'me', password: 's@cret' },
    })
    expect(checkGitUrl('https://me@host/a')).toEqual({ url: 'https://host/a', kind: 'https' })
    expect(checkGitUrl('https://%zz:%zz@host/a').credential).toEqual({ user: '%zz', password: '%zz' })
  })

  it.each([
    '',
    ' https://host/a',
    '-x',
    '--upload-pack=evil',
    'ext::sh -c evil',
    'EXT::sh -c evil',
    'fd::17',
    '::x',
    'transport::address',
    'git://host/a',
    'ftp://host/a',
    'http://example.com/a',
    'http://127.0.0.1.example.com/a',
    'http://127.0.0.1\\@example.com/a',
    'http://127.0.0.1#@example.com/a',
    'https://host/a#fragment',
    'https://',
    'https://ho st/a',
    'ssh://-oProxyCommand=evil/a',
    'ssh://-l@host/a',
    'ssh://host/-x',
    'ssh://host',
    'ssh://a@b@host/x',
    '-oProxyCommand=evil:a',
    'git@-oProxyCommand=evil:a',
    '[-oProxyCommand=evil]:a',
    '[-oProxyCommand=evil:22]:a',
    '[a b:22]:a',
    'git@[]:a',
    'ssh://%2doProxyCommand=evil/a',
    'ssh://git%40@host/a',
    'ssh://host:22x/a',
    'ssh://host/a%0ab\n',
    '-l@host:a',
    'host:-x',
    'a@b@host:x',
    'a\\b:c',
    'file://host/a',
    'file:///',
    'a\nb',
    'a\0b',
    'https://host/\u202ea',
    'x'.repeat(3_000),
  ])('refuses %j', (text) => {
    expect(() => checkGitUrl(text, '/work/dir')).toThrow(expect.objectContaining({ code: 'E_SOURCE' }))
  })

  it('does not guess where a relative path begins, and shows no password', () => {
    expect(() => checkGitUrl('a/b')).toThrow(expect.objectContaining({ code: 'E_SOURCE' }))
    try {
      checkGitUrl('http://me:secret@example.com/a')
      expect.unreachable()
    } catch (error) {
      expect(String(error)).not.toContain('secret')
      expect(error).toMatchObject({ hint: expect.stringContaining('https://') })
    }
  })

  it('property: whatever it lets through is nothing git could take for an option or a program', () => {
    const pieces = fc.constantFrom(
      '-',
      '::',
      ':',
      '/',
      '@',
      'ext',
      'ssh://',
      'https://',
      'file://',
      'host',
      '\n',
      '\\',
      '~',
      '..',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (words) => {
        try {
          const { url } = checkGitUrl(words.join(''), '/work')
          // A path can have any name: it begins with a slash.
          expect(url).toMatch(/^\/[^\n]*$|^(?!-|[a-z]*::)(?![a-z]+:\/\/(?:[^/]*@)?-)(?![^/:]*@-)[^\n]+$/)
        } catch (error) {
          expect(error).toMatchObject({ code: 'E_SOURCE' })
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('knows the origin a password belongs to', () => {
    expect(originOf('https://me:pw@Host:8443/a')).toBe('https://host:8443')
    expect(originOf('git@host:a')).toBeUndefined()
    expect(originOf('/srv/a')).toBeUndefined()
  })
})

describe('names', () => {
  it('are refused when git could take them for something else', () => {
    for (const tag of ['v1.0.0', 'v1.0.0-rc.1+build.5', 'release/v1']) expect(checkTag(tag)).toBe(tag)
    for (const tag of [
      '',
      '-v1',
      '--all',
      'v1..v2',
      'v1^{}',
      'v1~1',
      'v1:x',
      'a b',
      'a\nb',
      '../x',
      '.x',
      'a/.b',
      'x.lock',
      'x/',
      'v1@{1}',
      'v*',
    ])
      expect(() => checkTag(tag), tag).toThrow(expect.objectContaining({ code: 'E_SOURCE' }))
    expect(checkCommit('a'.repeat(40))).toBe('a'.repeat(40))
    for (const commit of ['HEAD', '-x', 'a'.repeat(39), 'A'.repeat(40), `${'a'.repeat(40)}\n`])
      expect(() => checkCommit(commit), commit).toThrow(expect.objectContaining({ code: 'E_SOURCE' }))
    expect(checkFile('registry.yaml')).toBe('registry.yaml')
    for (const file of ['../x', '-x', 'a\nb', '/etc/passwd', 'a//b'])
      expect(() => checkFile(file), file).toThrow(expect.objectContaining({ code: 'E_SOURCE' }))
  })
})
