import type { Command } from './command.ts'
import { DRY_RUN, JSON_OPTION } from './options.ts'

/** Commands at the beginning and the end of writing a package, in the order of help. */
export const AUTHOR_COMMANDS: readonly Command[] = [
  {
    name: 'new',
    summary: 'Start a package that validates, passes its test and installs',
    effect: 'changes',
    positionals: [{ name: 'NAME', about: 'Of the package and its folder' }],
    options: [
      {
        name: 'lang',
        value: 'LANGUAGE',
        about: 'What it is written in (default: sh; a capsule or .mcpkg: node)',
        choices: ['sh', 'python', 'node'],
      },
      { name: 'capsule', about: 'One process that stays and answers every call: python or node' },
      { name: 'mcpkg', about: 'An .mcpkg, named by a toolId such as acme.text.greet' },
      { name: 'http', value: 'URL', about: 'With --mcpkg: a tool behind an HTTP endpoint' },
      {
        name: 'chain',
        value: 'TOOLS',
        about: 'With --mcpkg: calls these tools, written A,B,C, one after the other',
      },
      JSON_OPTION,
    ],
    examples: [
      ['orla new weather --lang python', 'then `orla install --local weather --link`'],
      ['orla new search --capsule', 'for a tool that is expensive to start'],
      ['orla new acme.text.greet --mcpkg', 'then `orla pack acme.text.greet`'],
      ['orla new acme.flow.embed --mcpkg --chain read,clean', 'a chain of two tools that are served here'],
    ],
    load: async () => (await import('./commands/new.ts')).newCommand,
  },
  {
    name: 'publish',
    summary: 'Check that manifest, tree and changelog agree, make the tag, print the registry entry',
    effect: 'changes',
    positionals: [{ name: 'PATH', about: 'The package repository (default: here)', optional: true }],
    options: [
      DRY_RUN,
      { name: 'sign', value: 'KEY', about: 'Sign the tag with this key of yours (needs ssh-keygen)' },
      JSON_OPTION,
    ],
    examples: [['orla publish', 'then push the tag it made']],
    load: async () => (await import('./commands/publish.ts')).publishCommand,
  },
]
