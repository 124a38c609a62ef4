import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { parseShebang } from './shebang.ts'

const parsed = (line: string) => {
  const shebang = parseShebang(line)
  return shebang && [shebang.interpreter, ...shebang.args]
}

describe('Q3: the interpreter comes from the #! line', () => {
  it.each([
    ['#!/bin/bash', ['/bin/bash']],
    ['#! /bin/bash', ['/bin/bash']],
    ['#!\t/bin/sh  -e  ', ['/bin/sh', '-e']],
    ['#!/usr/bin/perl -w -T', ['/usr/bin/perl', '-w', '-T']],
    ['#!/usr/bin/env python3', ['python3']],
    ['#!/usr/bin/env   python3   -u', ['python3', '-u']],
    ['#!/usr/bin/env -S python3 -u', ['python3', '-u']],
    ['#!/usr/bin/env -Spython3 -u', ['python3', '-u']],
    ['#!/usr/bin/env --split-string=python3 -u', ['python3', '-u']],
    ['#!/usr/bin/env --split-string python3 -u', ['python3', '-u']],
    ['#!/usr/bin/env -S uv run --script', ['uv', 'run', '--script']],
    ['#!/opt/env/python', ['/opt/env/python']],
  ])('%s', (line, words) => {
    expect(parsed(line)).toEqual(words)
  })

  it.each([
    [`#!/usr/bin/env -S node --title="two words"`, ['node', '--title=two words']],
    [`#!/usr/bin/env -S sh -c 'echo "$0"'`, ['sh', '-c', 'echo "$0"']],
    [`#!/usr/bin/env -S a 'it\\'s' "tab\\t" b\\_c ''`, ['a', "it's", 'tab\t', 'b', 'c', '']],
    [`#!/usr/bin/env -S a "x\\_y" # a remark`, ['a', 'x y']],
  ])('words may be quoted under env -S: %s', (line, words) => {
    expect(parsed(line)).toEqual(words)
  })

  it.each([
    ['#!/usr/bin/env FOO=1 python3', ['/usr/bin/env', 'FOO=1', 'python3']],
    ['#!/usr/bin/env -i python3', ['/usr/bin/env', '-i', 'python3']],
    ['#!/usr/bin/env -u NAME sh', ['/usr/bin/env', '-u', 'NAME', 'sh']],
    [`#!/bin/env -S FOO="a b" sh -e`, ['/bin/env', 'FOO=a b', 'sh', '-e']],
  ])('env stays when it has work of its own: %s', (line, words) => {
    expect(parsed(line)).toEqual(words)
  })

  it.each([
    '#!/usr/bin/env -S python3 $FLAGS',
    '#!/usr/bin/env -S sh -c "open',
    '#!/usr/bin/env -S sh \\c x',
  ])('env gets in one piece what only it can work out: %s', (line) => {
    expect(parsed(line)).toEqual(['/usr/bin/env', line.slice('#!/usr/bin/env '.length)])
  })

  it.each([
    '',
    '#!',
    '#!   ',
    '#!\r',
    '# !/bin/sh',
    '#!/usr/bin/env',
    '#!/usr/bin/env -S ',
    "#!/usr/bin/env -S ''",
    '#!/usr/bin/env -i',
    '#!/bin/sh\0x',
  ])('no interpreter: %j', (line) => {
    expect(parseShebang(line)).toBeNull()
  })

  it('recognises a Windows line ending', () => {
    expect(parseShebang('#!/bin/bash -e\r')).toEqual({
      interpreter: '/bin/bash',
      args: ['-e'],
      windowsLineEnding: true,
    })
    expect(parseShebang('#!/usr/bin/env python3\r')?.windowsLineEnding).toBe(true)
    expect(parseShebang('#!/bin/bash')?.windowsLineEnding).toBe(false)
  })

  it('never throws and never yields an empty interpreter', () => {
    const words = fc.array(
      fc.constantFrom('env', '/', '-S', ' ', '"', "'", '\\', '$', '#', 'a', '=', '\r', '_'),
    )
    const line = fc.oneof(
      anyText(),
      words.map((parts) => `#!/usr/bin/env -S${parts.join('')}`),
      words.map((parts) => `#!${parts.join('')}`),
    )
    fc.assert(
      fc.property(line, (text) => {
        const shebang = parseShebang(text)
        if (shebang !== null) expect(shebang.interpreter).not.toBe('')
      }),
      { numRuns: 1_000 },
    )
  })

  it('keeps plain words as they are, with and without env -S', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9_./:@%+-]{1,12}$/)
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9.]{0,8}$/), fc.array(word), (program, args) => {
        const tail = [program, ...args].join(' ')
        expect(parsed(`#!/usr/bin/env ${tail}`)).toEqual([program, ...args])
        expect(parsed(`#!/usr/bin/env -S ${tail}`)).toEqual([program, ...args])
        expect(parsed(`#!/opt/${tail}`)).toEqual([`/opt/${program}`, ...args])
      }),
    )
  })
})
