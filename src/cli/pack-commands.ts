import type { Command } from './command.ts'
import { JSON_OPTION } from './options.ts'

const PACK: Command = {
  name: 'pack',
  summary: 'Make one file of a package folder: an .mcpkg, or a .tar.gz where it has a tool.yaml',
  effect: 'changes',
  positionals: [{ name: 'DIR', about: 'The package (default: here)', optional: true }],
  options: [
    { name: 'output', short: 'o', value: 'FILE', about: 'Where to (default: NAME-VERSION.mcpkg, here)' },
    { name: 'sign', value: 'KEY', about: 'Sign it with this key of yours; see `orla keys`' },
    { name: 'include-secrets', about: 'Pack what looks like a secret too: .env, private keys' },
    JSON_OPTION,
  ],
  examples: [
    ['orla pack ./echo', 'the same folder always gives the same bytes'],
    ['orla pack ./echo --sign default', 'signed by you'],
  ],
  load: async () => (await import('./commands/pack.ts')).packCommand,
}

/** Commands that make something of packages for others, in the order of help. */
export const PACK_COMMANDS: readonly Command[] = [
  PACK,
  // The second name of the same, from the words of MCPKG.
  { ...PACK, name: 'create', hidden: true },
  {
    name: 'export',
    summary: 'Print every tool as JSON for another runtime: tools.json',
    effect: 'reads',
    positionals: [],
    options: [
      {
        name: 'format',
        value: 'FORMAT',
        about: 'For whom (default: mcp)',
        choices: ['mcp', 'openai', 'anthropic', 'json-schema'],
      },
      { name: 'output', short: 'o', value: 'FILE', about: 'Write to a file' },
      { name: 'examples', about: 'Add the examples of packages to the descriptions' },
      { name: 'tests', about: 'Add what the tests of packages show' },
    ],
    examples: [
      ['orla export -o tools.json', 'as a server lists them'],
      ['orla export --format openai --examples', 'names with dots get underscores'],
    ],
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
]
