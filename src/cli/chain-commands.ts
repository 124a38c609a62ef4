import type { Command } from './command.ts'
import { JSON_OPTION, SINCE } from './options.ts'

/** Commands about chains, in the order of help. */
export const CHAIN_COMMANDS: readonly Command[] = [
  {
    name: 'chain list',
    summary: 'List the chains: tools that call other tools one after the other',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION],
    examples: [['orla chain list', 'with the tools each of them calls']],
    load: async () => (await import('./commands/chain.ts')).chainListCommand,
  },
  {
    name: 'chain show',
    summary: 'Show the steps of a chain, what each is given, and what it may do through them',
    effect: 'reads',
    positionals: [{ name: 'NAME', about: 'The chain', values: 'tools' }],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/chain.ts')).chainShowCommand,
  },
  {
    name: 'chain suggest',
    summary: 'Find calls that belong together in what was recorded, and write draft chains of them',
    effect: 'changes',
    positionals: [],
    options: [
      SINCE,
      { name: 'output', short: 'o', value: 'DIR', about: 'Folder for the drafts (default: chains)' },
      { name: 'dry-run', about: 'Show what was found and write nothing' },
      JSON_OPTION,
    ],
    examples: [
      ['orla chain suggest --dry-run', 'what the calls so far have in common'],
      ['orla chain suggest --since 7d -o drafts', 'a package for each, in drafts/'],
    ],
    more: [
      'Calls are recorded only with `record_calls: hashed` or `full` in orla.yaml, below ~/.orla/calls.',
      'A chain is suggested when an output was an argument of a later call at least twice, with different values.',
    ].join('\n'),
    load: async () => (await import('./commands/chain.ts')).chainSuggestCommand,
  },
]
