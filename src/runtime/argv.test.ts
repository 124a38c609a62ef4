import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildInvocation } from './argv.ts'

describe('buildInvocation (Q14, reading e)', () => {
  it('turns each argument into a flag and its value', () => {
    expect(
      buildInvocation(
        { name: 'Ada', dry_run: true, count: 3, none: null, list: [1, 'b'], map: { a: 1 } },
        undefined,
      ),
    ).toEqual({
      words: [
        '--name',
        'Ada',
        '--dry-run',
        'true',
        '--count',
        '3',
        '--none',
        'null',
        '--list',
        '[1,"b"]',
        '--map',
        '{"a":1}',
      ],
      stdin: '{"name":"Ada","dry_run":true,"count":3,"none":null,"list":[1,"b"],"map":{"a":1}}',
    })
  })

  it('follows the order of the schema, then the order given', () => {
    const schema = { type: 'object', properties: { b: {}, missing: {}, a: {} } }
    const { words } = invocation({ z: '1', a: '2', y: '3', b: '4' }, schema)
    expect(words).toEqual(['--b', '4', '--a', '2', '--z', '1', '--y', '3'])
  })

  it('leaves strings as they are', () => {
    expect(invocation({ a: '', b: '-x', c: 'two words\n"quoted"' }).words).toEqual([
      '--a',
      '',
      '--b',
      '-x',
      '--c',
      'two words\n"quoted"',
    ])
  })

  it('gives a text `stdin` as it is, NUL included', () => {
    expect(invocation({ stdin: 'raw\0text', a: 'x' })).toEqual({ words: ['--a', 'x'], stdin: 'raw\0text' })
    expect(invocation({ stdin: '' }).stdin).toBe('')
  })

  it('puts the words of `args` behind the flags', () => {
    expect(invocation({ args: ['one', 2, { three: 3 }, '--four'], flag: 'f' })).toEqual({
      words: ['--flag', 'f', 'one', '2', '{"three":3}', '--four'],
      stdin: '{"args":["one",2,{"three":3},"--four"],"flag":"f"}',
    })
  })

  it('treats `stdin` and `args` of another type as ordinary arguments', () => {
    expect(invocation({ stdin: 5, args: 'word' })).toEqual({
      words: ['--stdin', '5', '--args', 'word'],
      stdin: '{"stdin":5,"args":"word"}',
    })
  })

  it.each(['', '-x', '--', 'two words', 'a=b', 'tab\t', 'new\nline', 'nul\0', 'del\u007f'])(
    'refuses %j as a name',
    (name) => {
      expect(buildInvocation({ [name]: 'x' }, undefined)).toEqual({
        problem: expect.stringContaining(JSON.stringify(name)),
      })
    },
  )

  it('refuses NUL in what goes on the command line', () => {
    expect(buildInvocation({ a: 'x\0' }, undefined)).toEqual({ problem: expect.stringContaining('`a`') })
    expect(buildInvocation({ args: ['ok', 'x\0'] }, undefined)).toEqual({
      problem: expect.stringContaining('`args[1]`'),
    })
  })

  it('gives every argument exactly once, whatever it is', () => {
    const names = fc
      .stringMatching(/^[a-zA-Z0-9_.][a-zA-Z0-9_.-]{0,10}$/)
      .filter((name) => name !== '__proto__')
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), fc.uniqueArray(names), (args, declared) => {
        const given = JSON.parse(JSON.stringify(args))
        delete given.stdin
        delete given.args
        const schema = { properties: Object.fromEntries(declared.map((name) => [name, {}])) }
        const built = buildInvocation(given, schema)
        if ('problem' in built) {
          expect(JSON.stringify(given)).toContain('\\u0000')
          return
        }
        expect(built.words.filter((_, index) => index % 2 === 0).sort()).toEqual(
          Object.keys(given)
            .map((name) => `--${name.replaceAll('_', '-')}`)
            .sort(),
        )
        expect(JSON.parse(built.stdin)).toEqual(given)
      }),
    )
  })
})

function invocation(
  ...[args, schema]: [Parameters<typeof buildInvocation>[0], Parameters<typeof buildInvocation>[1]?]
) {
  const built = buildInvocation(args, schema)
  if ('problem' in built) throw new Error(built.problem)
  return built
}
