import type { Command } from './command.ts'
import { JSON_OPTION } from './options.ts'

/** Commands about registries and what was fetched from them, in the order of help. */
export const REGISTRY_COMMANDS: readonly Command[] = [
  {
    name: 'registry list',
    summary: 'List the registries that are asked, in order',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/registry.ts')).registryListCommand,
  },
  {
    name: 'registry add',
    summary: 'Add a registry and trust it',
    effect: 'changes',
    positionals: [
      { name: 'NAME', about: 'What to call it' },
      { name: 'URL', about: 'Its git repository: https, ssh, user@host:path, file or a path' },
    ],
    options: [JSON_OPTION],
    examples: [
      ['orla registry add team git@git.example.com:tools/registry', 'then `orla install team/NAME`'],
    ],
    load: async () => (await import('./commands/registry.ts')).registryAddCommand,
  },
  {
    name: 'registry remove',
    summary: 'Remove a registry',
    effect: 'changes',
    positionals: [{ name: 'NAME', about: 'Which one' }],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/registry.ts')).registryRemoveCommand,
  },
  {
    name: 'registry init',
    summary: 'Start a registry of your own',
    effect: 'changes',
    positionals: [{ name: 'DIR', about: 'A new folder' }],
    options: [JSON_OPTION],
    examples: [['orla registry init our-registry', 'a git repository with an empty index']],
    load: async () => (await import('./commands/registry.ts')).registryInitCommand,
  },
  {
    name: 'registry add-tool',
    summary: 'List a tool in your registry, from its own manifest',
    effect: 'changes',
    positionals: [
      { name: 'DIR', about: 'The registry' },
      { name: 'REPOSITORY', about: 'Of the tool' },
    ],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/registry.ts')).registryAddToolCommand,
  },
  {
    name: 'cache dir',
    summary: 'Print where indexes and repositories are cached',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/cache.ts')).cacheDirCommand,
  },
  {
    name: 'cache size',
    summary: 'Print how much is cached',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/cache.ts')).cacheSizeCommand,
  },
  {
    name: 'cache clear',
    summary: 'Remove everything cached; it is fetched again when needed',
    effect: 'changes',
    positionals: [],
    options: [JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/cache.ts')).cacheClearCommand,
  },
]
