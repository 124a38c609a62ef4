import type { Command } from './command.ts'
import { JSON_OPTION, SINCE } from './options.ts'

/** Commands about what is known from calls and tests, in the order of help. */
export const STATISTICS_COMMANDS: readonly Command[] = [
  {
    name: 'stats',
    summary: 'Show how often tools were called, how they failed and how long they took',
    effect: 'reads',
    positionals: [{ name: 'NAME', about: 'Everything about one tool', optional: true, values: 'tools' }],
    options: [SINCE, JSON_OPTION],
    examples: [
      ['orla stats', 'all tools that were called on this machine'],
      ['orla stats hello --since 7d', 'one of them, by version and implementation'],
    ],
    more: 'Kept on this machine only; `statistics: off` in orla.yaml keeps nothing.',
    load: async () => (await import('./commands/stats.ts')).statsCommand,
  },
  {
    name: 'stats clear',
    summary: 'Forget what is known from calls and tests',
    effect: 'changes',
    positionals: [{ name: 'NAME', about: 'Only of this tool', optional: true, values: 'tools' }],
    options: [JSON_OPTION],
    examples: [['orla stats clear hello', 'of one tool']],
    load: async () => (await import('./commands/stats.ts')).statsClearCommand,
  },
]
