import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import { splitCommand } from './split-command.ts'

describe('a command', () => {
  it.each<[string, string[]]>([
    ['node ./sdk/javascript/pdf-read.js', ['node', './sdk/javascript/pdf-read.js']],
    ['  a \t b  ', ['a', 'b']],
    [`a 'b c' "d e" f\\ g`, ['a', 'b c', 'd e', 'f g']],
    [`a ''`, ['a', '']],
    [`a pre'in'"side"post`, ['a', 'preinsidepost']],
    [`a '$HOME * \\ |'`, ['a', '$HOME * \\ |']],
    [`a "\\"q\\" \\$ \\n"`, ['a', '"q" $ \\n']],
    ['a b~ c#d --x=~/y', ['a', 'b~', 'c#d', '--x=~/y']],
    ['a \\$HOME \\*', ['a', '$HOME', '*']],
    ['"my program" x', ['my program', 'x']],
    ['a %PATH% b=c', ['a', '%PATH%', 'b=c']],
  ])('Q115: %j is split into words', (text, words) => {
    expect(splitCommand(text)).toEqual({ words })
  })

  it.each<[string, string]>([
    ['', 'must name a program'],
    ["''", 'must name a program'],
    ['   ', 'must name a program'],
    ['a | b', 'has | in it, which only a shell could carry out'],
    ['a; rm -rf x', 'has ; in it, which only a shell could carry out'],
    ['a && b', 'has & in it, which only a shell could carry out'],
    ['a > out', 'has > in it, which only a shell could carry out'],
    ['a $HOME', 'has $ in it, which only a shell could carry out'],
    ['a "$(id)"', 'has $ in it, which only a shell could carry out'],
    ['a "`id`"', 'has ` in it, which only a shell could carry out'],
    ['a *.js', 'has * in it, which only a shell could carry out'],
    ['a ~/x', 'has ~ in it, which only a shell could carry out'],
    ['a # b', 'has # in it, which only a shell could carry out'],
    ['a {b,c}', 'has { in it, which only a shell could carry out'],
    ['a \n b', 'has a line break in it, which only a shell could carry out'],
    ['a\nb', 'has a line break in it, which only a shell could carry out'],
    ["a 'b", "has a ' that is not closed"],
    ['a "b', 'has a " that is not closed'],
    ['.\\bin\\tool.exe', 'has a \\ before a character that needs none'],
    ['a\\', 'has a \\ before a character that needs none'],
    ['a\0', 'has control characters in it'],
    ['KEY=1 a', 'begins with "KEY=1", which sets a variable only in a shell'],
  ])('Q115: %j is refused', (text, message) => {
    expect(splitCommand(text)).toMatchObject({ problem: { message } })
  })

  it('Q115: any words, quoted, come back as they were', () => {
    const word = anyText().map((text) => text.replace(/[\0-\x1f\x7f]/g, ''))
    fc.assert(
      fc.property(fc.array(word), (more) => {
        const words = ['program', ...more]
        const quoted = words.map((one) => `'${one.replaceAll("'", `'"'"'`)}'`).join(' ')
        expect(splitCommand(quoted)).toEqual({ words })
      }),
    )
  })

  it('never throws', () => {
    fc.assert(fc.property(anyText(), (text) => void splitCommand(text)))
  })
})
