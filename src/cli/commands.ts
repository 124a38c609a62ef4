import { CAPSULE_COMMANDS } from './capsule-commands.ts'
import { CHAIN_COMMANDS } from './chain-commands.ts'
import type { Command, Option } from './command.ts'
import { GRANT_COMMANDS } from './grant-commands.ts'
import { PACKAGE_COMMANDS } from './package-commands.ts'
import { RANKING_COMMANDS } from './ranking-commands.ts'
import { SANDBOX_COMMANDS } from './sandbox-commands.ts'
import { SIGNING_COMMANDS } from './signing-commands.ts'
import { STATISTICS_COMMANDS } from './statistics-commands.ts'

const JSON_OPTION: Option = { name: 'json', about: 'Print JSON with stable keys' }

/** Settings that can be given as flags wherever tools are looked up. */
const TOOLS_DIR: Option = { name: 'tools-dir', value: 'DIR', about: 'Folder of tools (default: ./tools)' }
const TIMEOUT: Option = {
  name: 'timeout',
  value: 'TIME',
  about: 'Time a call may take: 30, 30s, 500ms (default: 30s)',
}

/** Every command, in the order of help. The code behind one loads when it runs. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Serve the tools over MCP; the same as plain `orla`',
    effect: 'runs',
    positionals: [],
    options: [
      { name: 'port', value: 'N', about: 'Port (default: 8080); 0 picks a free one and logs it' },
      {
        name: 'host',
        value: 'ADDRESS',
        about: 'Address (default: 127.0.0.1); others need auth.token or --insecure',
      },
      { name: 'stdio', about: 'Speak MCP on standard input and output instead of HTTP' },
      TOOLS_DIR,
      TIMEOUT,
      { name: 'log-format', value: 'FORMAT', about: 'How records are written', choices: ['json', 'pretty'] },
      {
        name: 'log-level',
        value: 'LEVEL',
        about: 'Least level that is logged',
        choices: ['debug', 'info', 'warn', 'error', 'fatal'],
      },
      { name: 'pretty', about: 'The same as --log-format pretty' },
      { name: 'insecure', about: 'Listen beyond this machine without a token' },
    ],
    examples: [
      ['orla', 'serve ./tools on http://127.0.0.1:8080/mcp'],
      ['orla --port 0 --pretty', 'pick a free port, log for people'],
      ['orla --stdio', 'for clients that start their servers themselves'],
    ],
    more: 'SIGHUP reloads tools and configuration. SIGTERM or Ctrl-C lets calls finish; twice ends at once.',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    name: 'list',
    summary: 'List the tools and what is wrong with the others',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION, TOOLS_DIR],
    examples: [
      ['orla list', 'what clients would see'],
      ['orla list --json', 'the same for scripts'],
    ],
    load: async () => (await import('./commands/list.ts')).listCommand,
  },
  {
    name: 'call',
    summary: 'Call a tool as the server would and print what it printed',
    effect: 'runs',
    positionals: [
      { name: 'NAME', about: 'The tool', values: 'tools' },
      {
        name: 'JSON',
        about: 'Its arguments as a JSON object; - reads them from standard input',
        optional: true,
      },
    ],
    options: [
      {
        name: 'arg',
        short: 'a',
        value: 'K=V',
        about: 'One argument; K:=JSON for a value that is not text',
        many: true,
      },
      JSON_OPTION,
      TOOLS_DIR,
      TIMEOUT,
    ],
    examples: [
      [`orla call hello '{"name":"Ada"}'`, 'arguments as JSON'],
      ['orla call hello --arg name=Ada', 'arguments one by one'],
    ],
    more: 'Exit status: 1 the tool exited non-zero, 2 bad arguments, 4 no such tool, 124 timeout, 126 cannot start.',
    load: async () => (await import('./commands/call.ts')).callCommand,
  },
  ...PACKAGE_COMMANDS,
  ...SIGNING_COMMANDS,
  ...GRANT_COMMANDS,
  ...CAPSULE_COMMANDS,
  ...SANDBOX_COMMANDS,
  ...CHAIN_COMMANDS,
  ...STATISTICS_COMMANDS,
  ...RANKING_COMMANDS,
  {
    name: 'init',
    summary: 'Start a project: orla.yaml and tools/ with a sample',
    effect: 'changes',
    positionals: [{ name: 'DIR', about: 'Where (default: here)', optional: true }],
    options: [JSON_OPTION],
    examples: [['orla init', 'then `orla` serves the sample']],
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    name: 'doctor',
    summary: 'Check what serving needs and say how to fix what is missing',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION, TOOLS_DIR, { name: 'port', value: 'N', about: 'Port to check' }],
    examples: [['orla doctor', 'status 0 unless something prevents serving']],
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'config',
    summary: 'Show every setting in force and where it came from',
    effect: 'reads',
    positionals: [],
    options: [JSON_OPTION],
    examples: [['ORLA_PORT=9000 orla config', 'shows ORLA_PORT as the source of port']],
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  {
    name: 'audit',
    summary: 'Show who called which tool, from the audit file',
    effect: 'reads',
    positionals: [],
    options: [
      { name: 'since', value: 'TIME', about: 'Only from then on: 2h, 7d, 2026-11-01' },
      { name: 'tool', value: 'NAME', about: 'Only this tool; * stands for any characters' },
      { name: 'limit', value: 'N', about: 'The newest N (default: 100)' },
      JSON_OPTION,
    ],
    examples: [["orla audit --since 2h --tool 'fs.*'", 'calls of these tools within the last two hours']],
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  {
    name: 'reload',
    summary: 'Make the running server of this project read everything again',
    effect: 'controls',
    positionals: [],
    options: [JSON_OPTION, { name: 'port', value: 'N', about: 'Only the server on this port' }],
    examples: [['orla reload', 'the same as kill -HUP']],
    load: async () => (await import('./commands/reload.ts')).reloadCommand,
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    effect: 'reads',
    positionals: [{ name: 'SHELL', about: 'Which shell', choices: ['bash', 'zsh', 'fish'] }],
    options: [],
    examples: [
      ['source <(orla completion bash)', 'in ~/.bashrc'],
      ['orla completion fish > ~/.config/fish/completions/orla.fish', 'for fish'],
    ],
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  {
    name: 'help',
    summary: 'Explain a command or a topic',
    effect: 'reads',
    positionals: [
      { name: 'COMMAND', about: 'Command or topic', optional: true, many: true, values: 'commands' },
    ],
    options: [],
    examples: [['orla help call', 'everything about `orla call`']],
    load: async () => (await import('./commands/help.ts')).helpCommand,
  },
  {
    name: '__complete',
    summary: 'Answer a completion script',
    effect: 'reads',
    positionals: [{ name: 'WORDS', about: 'The line so far', optional: true, many: true }],
    options: [],
    examples: [],
    hidden: true,
    load: async () => (await import('./commands/complete.ts')).completeCommand,
  },
]
