import type { Command } from './command.ts'
import { JSON_OPTION } from './options.ts'

/** Commands about the secrets that packages ask for, in the order of help. */
export const SECRET_COMMANDS: readonly Command[] = [
  {
    name: 'secret set',
    summary: 'Store a secret that packages ask for by name',
    effect: 'changes',
    positionals: [{ name: 'NAME', about: 'As the package names it, such as API_TOKEN' }],
    options: [JSON_OPTION],
    examples: [
      ['orla secret set API_TOKEN', 'asks for the value and does not show it'],
      ['pass show token | orla secret set API_TOKEN', 'from standard input'],
    ],
    more: 'A variable of the same name wins. Values are kept in ~/.orla, readable for you alone, and never printed.',
    load: async () => (await import('./commands/secret.ts')).secretSetCommand,
  },
  {
    name: 'secret list',
    summary: 'List the names of the stored secrets',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/secret.ts')).secretListCommand,
  },
  {
    name: 'secret remove',
    summary: 'Remove a stored secret',
    effect: 'changes',
    positionals: [{ name: 'NAME', about: 'Which one' }],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/secret.ts')).secretRemoveCommand,
  },
]
