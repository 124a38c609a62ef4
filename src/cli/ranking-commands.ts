import type { Command } from './command.ts'
import { JSON_OPTION, OFFLINE, REFRESH, REGISTRY, TRUST } from './options.ts'

/** Commands about which tool is best, in the order of help. */
export const RANKING_COMMANDS: readonly Command[] = [
  {
    name: 'rank',
    summary: 'Rank the installed tools by how well they work here, and say why',
    effect: 'reads',
    positionals: [{ name: 'CAPABILITY', about: 'Only tools that have this capability', optional: true }],
    options: [JSON_OPTION],
    examples: [
      ['orla rank', 'all tools, and their implementations where there are several'],
      ['orla rank pdf.read', 'those that can read a PDF'],
    ],
    more: 'Success, tests, time and steadiness on this machine count; --json shows each part of a score.',
    load: async () => (await import('./commands/rank.ts')).rankCommand,
  },
  {
    name: 'recommend',
    summary: 'Recommend tools for a task, installed or in the registries, and say why',
    effect: 'reads',
    positionals: [
      { name: 'WORDS', about: 'What it should do; typos are forgiven', optional: true, many: true },
    ],
    options: [
      { name: 'capability', value: 'WORD', about: 'Only with this capability' },
      { name: 'language', value: 'WORD', about: 'Only in this language' },
      { name: 'platform', value: 'WORD', about: 'Only for this platform' },
      { name: 'limit', value: 'N', about: 'How many at most (default: 10)' },
      REGISTRY,
      TRUST,
      OFFLINE,
      REFRESH,
      JSON_OPTION,
    ],
    examples: [['orla recommend "read a pdf"', 'the best first']],
    load: async () => (await import('./commands/recommend.ts')).recommendCommand,
  },
]
