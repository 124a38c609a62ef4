import type { Command } from './command.ts'
import { JSON_OPTION, PACKAGE, YES } from './options.ts'

const WORDS = { name: 'WORD', about: 'Permission words; none means all', optional: true, many: true } as const

/** Commands about what packages may do, in the order of help. */
export const GRANT_COMMANDS: readonly Command[] = [
  {
    name: 'grants',
    summary: 'List what was accepted for packages, and which of them wait for it',
    effect: 'reads',
    positionals: [{ ...PACKAGE, about: 'Only this package', optional: true }],
    options: [JSON_OPTION],
    examples: [['orla grants', 'what packages may do on this machine']],
    load: async () => (await import('./commands/grants.ts')).grantsCommand,
  },
  {
    name: 'grant',
    summary: 'Accept what an installed package asks for, all or some of it',
    effect: 'changes',
    positionals: [PACKAGE, WORDS],
    options: [{ ...YES, about: 'Accept without being asked' }, JSON_OPTION],
    examples: [
      ['orla grant fs', 'everything it asks for'],
      ['orla grant fs filesystem:read:./data', 'only this; it runs with that'],
    ],
    load: async () => (await import('./commands/grants.ts')).grantCommand,
  },
  {
    name: 'revoke',
    summary: 'Take back what was accepted; a running server obeys at once',
    effect: 'changes',
    positionals: [PACKAGE, WORDS],
    options: [JSON_OPTION],
    examples: [
      ['orla revoke fs', 'it may not run any more'],
      ['orla revoke fs network', 'it runs without'],
    ],
    load: async () => (await import('./commands/grants.ts')).revokeCommand,
  },
]
