import type { Command, Positional } from './command.ts'
import { JSON_OPTION } from './options.ts'

const NAME: Positional = { name: 'NAME', about: 'The tool or package', values: 'tools' }

export const SANDBOX_COMMANDS: readonly Command[] = [
  {
    name: 'sandbox explain',
    summary: 'Tell what a tool will see when it runs, and what holds it to that',
    effect: 'reads',
    positionals: [NAME],
    options: [JSON_OPTION],
    examples: [['orla sandbox explain fs', 'files, network, variables, limits']],
    load: async () => (await import('./commands/sandbox.ts')).sandboxExplainCommand,
  },
  {
    name: 'sandbox run',
    summary: 'Run a command where a tool would run',
    effect: 'runs',
    positionals: [NAME, { name: 'COMMAND', about: 'The command and its words, behind --', many: true }],
    options: [],
    examples: [
      ['orla sandbox run fs -- bash', 'look around as the tool would'],
      ['orla sandbox run fs -- cat /etc/passwd', 'is it kept from that?'],
    ],
    more: 'The exit status is that of the command; 3 when the tool must not run here.',
    load: async () => (await import('./commands/sandbox.ts')).sandboxRunCommand,
  },
]
