import type { Command } from './command.ts'
import { JSON_OPTION, OFFLINE, PACKAGE, REFRESH, REGISTRY, TRUST } from './options.ts'

/** Commands that tell about packages, installed or not, in the order of help. */
export const SEARCH_COMMANDS: readonly Command[] = [
  {
    name: 'search',
    summary: 'Find packages in the registries',
    effect: 'reads',
    positionals: [
      {
        name: 'WORDS',
        about: 'Name, description or keywords; typos are forgiven',
        optional: true,
        many: true,
      },
    ],
    options: [
      { name: 'keyword', value: 'WORD', about: 'Only with this keyword' },
      { name: 'capability', value: 'WORD', about: 'Only with this capability' },
      { name: 'language', value: 'WORD', about: 'Only in this language' },
      { name: 'platform', value: 'WORD', about: 'Only for this platform' },
      { name: 'limit', value: 'N', about: 'How many at most (default: 50)' },
      REGISTRY,
      TRUST,
      OFFLINE,
      REFRESH,
      JSON_OPTION,
    ],
    examples: [['orla search filesystem', 'ranked, best first']],
    load: async () => (await import('./commands/search.ts')).searchCommand,
  },
  {
    name: 'info',
    summary: 'Tell everything about a package: versions, permissions, where it came from',
    effect: 'reads',
    positionals: [PACKAGE],
    options: [REGISTRY, TRUST, OFFLINE, REFRESH, JSON_OPTION],
    examples: [['orla info fs', 'installed and available']],
    load: async () => (await import('./commands/info.ts')).infoCommand,
  },
]
