import type { Command, Option } from './command.ts'
import { JSON_OPTION } from './options.ts'

const PORT: Option = { name: 'port', value: 'N', about: 'Only the server on this port' }
const NAME = { name: 'NAME', about: 'The capsule' } as const

/** Commands that ask the running server about its capsules, in the order of help. */
export const CAPSULE_COMMANDS: readonly Command[] = [
  {
    name: 'capsule list',
    summary: 'List the capsules of the running server and their states',
    effect: 'reads',
    positionals: [],
    options: [PORT, JSON_OPTION],
    examples: [['orla capsule list', 'state, process, calls and crashes of each']],
    load: async () => (await import('./commands/capsule.ts')).capsuleListCommand,
  },
  {
    name: 'capsule status',
    summary: 'Show everything about one capsule',
    effect: 'reads',
    positionals: [NAME],
    options: [PORT, JSON_OPTION],
    examples: [['orla capsule status index', 'with its tools and its last error']],
    load: async () => (await import('./commands/capsule.ts')).capsuleStatusCommand,
  },
  {
    name: 'capsule start',
    summary: 'Start a capsule and wait until it is ready',
    effect: 'controls',
    positionals: [NAME],
    options: [PORT, JSON_OPTION],
    examples: [['orla capsule start index', 'after it was stopped, by command or by crashes']],
    load: async () => (await import('./commands/capsule.ts')).capsuleStartCommand,
  },
  {
    name: 'capsule stop',
    summary: 'Stop a capsule; its calls are refused until it is started',
    effect: 'controls',
    positionals: [NAME],
    options: [PORT, JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/capsule.ts')).capsuleStopCommand,
  },
  {
    name: 'capsule restart',
    summary: 'Let running calls finish, then start the capsule afresh',
    effect: 'controls',
    positionals: [NAME],
    options: [PORT, JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/capsule.ts')).capsuleRestartCommand,
  },
  {
    name: 'capsule logs',
    summary: 'Print what a capsule wrote last and what happened to it',
    effect: 'reads',
    positionals: [NAME],
    options: [PORT, JSON_OPTION],
    examples: [],
    load: async () => (await import('./commands/capsule.ts')).capsuleLogsCommand,
  },
]
