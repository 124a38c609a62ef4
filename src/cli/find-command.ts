import { nearest, OrlaError } from '../model/index.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'

/** The command a line names, by one word or two (`registry add`), and the words behind it. */
export function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const [first = '', second = ''] = words
  for (const [name, count] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    const command = COMMANDS.find((candidate) => candidate.name === name)
    if (command) return { command, rest: words.slice(count) }
  }
  throw new OrlaError('E_USAGE', `there is no command \`${typed(first, second)}\``, {
    hint: suggest(first, second),
  })
}

function typed(first: string, second: string): string {
  return isGroup(first) && second !== '' ? `${first} ${second}` : first
}

function suggest(first: string, second: string): string {
  const names = COMMANDS.filter((command) => !command.hidden).map((command) => command.name)
  if (isGroup(first)) {
    const members = names.filter((name) => name.startsWith(`${first} `))
    const close = nearest(`${first} ${second}`, members)
    return close && second !== ''
      ? `did you mean \`orla ${close}\`?`
      : members.map((name) => `\`orla ${name}\``).join(', ')
  }
  const close = nearest(first, [...names, ...new Set(names.map((name) => name.split(' ')[0] ?? name))])
  return close ? `did you mean \`orla ${close}\`?` : '`orla help` lists them'
}

function isGroup(first: string): boolean {
  return COMMANDS.some((command) => command.name.startsWith(`${first} `))
}
