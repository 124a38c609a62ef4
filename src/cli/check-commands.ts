import type { Command } from './command.ts'
import { JSON_OPTION, OFFLINE, REFRESH, REGISTRY, YES } from './options.ts'

/** Commands that tell whether a package is right, in the order of help. */
export const CHECK_COMMANDS: readonly Command[] = [
  {
    name: 'validate',
    summary: 'Check a package and report every problem with its place',
    effect: 'reads',
    positionals: [{ name: 'PATH', about: 'A folder, .mcpkg or archive (default: here)', optional: true }],
    options: [JSON_OPTION],
    examples: [['orla validate ./my-tool', 'status 1 when there are errors']],
    load: async () => (await import('./commands/validate.ts')).validateCommand,
  },
  {
    name: 'test',
    summary: 'Run the tests of packages',
    effect: 'runs',
    positionals: [
      {
        name: 'WHAT',
        about: 'An installed NAME, a package folder, an archive or one test file (default: here)',
        optional: true,
        values: 'packages',
      },
    ],
    options: [
      { name: 'all', about: 'Every package that serves here' },
      { name: 'filter', value: 'TEXT', about: 'Only tests with this in their name or that of their package' },
      { name: 'repeat', value: 'N', about: 'Run each test N times; it passes when all of them do' },
      { name: 'jobs', value: 'N', about: 'How many run at once (default: 8, at most limits.concurrency)' },
      { name: 'watch', about: 'Run again whenever a file of the packages changes' },
      { ...YES, about: 'Of an archive: accept what it asks for' },
      { name: 'baseline', about: 'Store what is found; later runs are compared with it' },
      { name: 'strict', about: 'What takes longer than in the baseline fails, too' },
      {
        name: 'reporter',
        value: 'KIND[:FILE]',
        many: true,
        about: 'terminal, json, junit or tap, to standard output or to a file; repeatable',
      },
      { name: 'json', about: 'The same as --reporter json' },
    ],
    examples: [
      ['orla test ./my-tool', 'every tests/*.test.json'],
      ['orla test --all --reporter terminal --reporter junit:report.xml', 'in CI'],
      ['orla test fs --filter read --repeat 20', 'is it stable?'],
      ['orla test --all --baseline --repeat 10', 'remember how it is now'],
    ],
    more: [
      'The baseline is .orla/baseline.json beside orla.yaml, without one ~/.orla/baseline.json. Where there is one, a run',
      'reports what passed and fails now, outputs whose shape changed, and what takes longer on the same machine.',
      'Status 1 when a test fails or an output lost something, with --strict also when something takes longer;',
      '4 when there is nothing of that name.',
    ].join('\n'),
    load: async () => (await import('./commands/test.ts')).testCommand,
  },
  {
    name: 'diff',
    summary: 'Compare two versions of a package: schemas, permissions, tests, outputs, time',
    effect: 'runs',
    positionals: [
      {
        name: 'BEFORE',
        about: 'NAME, NAME@v1.0.0, a folder or an archive',
        values: 'packages',
      },
      {
        name: 'NOW',
        about: 'The same; without it BEFORE is compared with what serves, NAME with its newest version',
        optional: true,
        values: 'packages',
      },
    ],
    options: [
      { name: 'repeat', value: 'N', about: 'Run each test N times (default: 6)' },
      { name: 'strict', about: 'What takes longer counts as worse' },
      { name: 'no-test', about: 'Compare what is written and run nothing' },
      REGISTRY,
      YES,
      OFFLINE,
      REFRESH,
      JSON_OPTION,
    ],
    examples: [
      ['orla diff fs', 'would an update change something?'],
      ['orla diff fs@v0.1.0 fs@v0.2.0', 'installed or not'],
      ['orla diff ./fs-before ./fs', 'two folders'],
    ],
    more: [
      'The tests of both versions run against both. A version that is not installed is fetched to a temporary place;',
      'before anything of it runs, what it may do has to be accepted as for an install. Nothing is installed.',
      'Status 1 when something breaks a caller: a tool or a key is gone, a schema accepts less or returns more, a test',
      'of BEFORE passes there and not with NOW, or NOW fails its own tests; with --strict also when it takes longer.',
    ].join('\n'),
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
]
