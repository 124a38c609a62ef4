import { describe, expect, it } from 'vitest'
import { OrlaError } from '../model/index.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { parseWords } from './parse.ts'

const call = COMMANDS.find(({ name }) => name === 'call') as Command // it is in the table
const serve = COMMANDS.find(({ name }) => name === 'serve') as Command // it is in the table

describe('a command line', () => {
  it('takes options before, between and after words, with = or a space', () => {
    const input = parseWords(call, ['--arg', 'a=1', 'hello', '--arg=b=2=3', '-a', 'c=', '--json'])
    expect(input.positionals).toEqual(['hello'])
    expect(input.all('arg')).toEqual(['a=1', 'b=2=3', 'c='])
    expect(input.flag('json')).toBe(true)
  })

  it('takes everything behind -- as words', () => {
    expect(parseWords(call, ['--', '--json', '-x']).positionals).toEqual(['--json', '-x'])
    expect(parseWords(call, ['hello', '-']).positionals).toEqual(['hello', '-'])
  })

  it.each([
    [call, ['hello', '--jsn'], /no option --jsn/, 'did you mean --json?'],
    [call, [], /NAME is missing/, 'usage: orla call NAME [JSON] [options]'],
    [call, ['a', 'b', 'c'], /unexpected word "c"/, undefined],
    [call, ['a', '--arg'], /needs a value/, undefined],
    [call, ['a', '--json=1'], /takes no value/, undefined],
    [serve, ['--log-level', 'loud'], /must be one of debug, info/, undefined],
    [serve, ['-x'], /no option -x/, undefined],
  ])('refuses what %# means nothing', (command, words, message, hint) => {
    const error = caught(() => parseWords(command, words))
    expect(error).toBeInstanceOf(OrlaError)
    expect(error.message).toMatch(message)
    if (hint !== undefined) expect((error as OrlaError).hint).toBe(hint)
  })

  it('asks nothing more of someone who asks for help', () => {
    expect(parseWords(call, ['--help']).flag('help')).toBe(true)
  })
})

function caught(action: () => unknown): Error {
  try {
    action()
  } catch (error) {
    return error as Error // only errors are thrown here
  }
  throw new Error('nothing was thrown')
}
