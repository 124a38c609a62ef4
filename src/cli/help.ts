import type { Command, Option } from './command.ts'
import { COMMANDS } from './commands.ts'
import { COMMON, usageOf } from './parse.ts'

/** `orla help`: every command in a line, and where to read on. */
export function overview(program: string): string {
  const shown = COMMANDS.filter((command) => !command.hidden)
  const width = Math.max(...shown.map((command) => command.name.length))
  return [
    'Orla turns a folder of executables into tools that any MCP client can call.',
    '',
    `  ${program.padEnd(width + 2)}serve the tools in ./tools on http://127.0.0.1:8080/mcp`,
    `  ${`${program} --stdio`.padEnd(width + 2)}serve them to the program that started it`,
    '',
    'Commands:',
    ...shown.map((command) => `  ${command.name.padEnd(width + 2)}${command.summary}`),
    '',
    `\`${program} help COMMAND\` explains one. Topics: ${Object.keys(TOPICS).join(', ')}.`,
  ].join('\n')
}

export function helpFor(command: Command): string {
  const options = [...command.options, ...COMMON]
  const sections = [
    `${command.summary}. ${EFFECTS[command.effect]}`,
    section('Usage', [`  ${usageOf(command)}`]),
    section('Arguments', pairs(command.positionals.map((word) => [word.name, aboutOf(word)]))),
    section('Options', pairs(options.map((option) => [spell(option), aboutOf(option)]))),
    command.more ?? '',
    section('Examples', pairs(command.examples)),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

/** The commands that share a first word, such as `registry`. Undefined when there are none. */
export function helpForGroup(word: string): string | undefined {
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${word} `))
  if (members.length === 0) return undefined
  return section('Commands', pairs(members.map(({ name, summary }) => [`orla ${name}`, summary])))
}

const EFFECTS = {
  reads: 'Changes nothing.',
  changes: 'Writes files.',
  runs: 'Runs tools.',
  controls: 'Acts on a running server.',
} as const satisfies Record<Command['effect'], string>

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines].join('\n')
}

function pairs(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width + 2)}${right}`)
}

function spell(option: Option): string {
  const short = option.short ? `-${option.short}, ` : ''
  return `${short}--${option.name}${option.value ? ` ${option.value}` : ''}`
}

function aboutOf({ about, choices }: Pick<Option, 'about' | 'choices'>): string {
  return choices ? `${about} (${choices.join(', ')})` : about
}

/** Help that belongs to no single command. */
export const TOPICS: Readonly<Record<string, string>> = {
  'exit-codes': [
    'Exit status of every command:',
    '  0    done',
    '  1    what was asked for failed (orla call: the tool exited non-zero)',
    '  2    wrong usage or configuration',
    '  3    refused: policy, consent, signature, trust',
    '  4    not found',
    '  124  the tool did not finish in time',
    '  126  the tool could not be started',
    '  130  interrupted',
  ].join('\n'),
  environment: [
    'Every setting of orla.yaml can be given as a variable: ORLA_ and the key in capitals,',
    'with _ for dots: ORLA_PORT, ORLA_TOOLS_DIR, ORLA_LIMITS_CONCURRENCY. `orla config` shows',
    'what is in force and where it came from. Also:',
    '  ORLA_CONFIG  configuration file, as --config',
    '  ORLA_HOME    where Orla keeps its own files (default: ~/.orla)',
    '  NO_COLOR     no colours; CLICOLOR_FORCE=1 forces them',
    'Tools inherit the environment without the ORLA_ variables.',
  ].join('\n'),
  tools: [
    'A tool is an executable file in ./tools; its name is the file name without extension.',
    'The first comment describes it to the model, and @param lines declare its arguments:',
    '',
    '  #!/bin/sh',
    '  # Greets someone.',
    '  # @param name {string} who to greet',
    '  # @param [times=1] {integer} how often',
    '',
    'Arguments arrive as flags (--name Ada --times 2) and as one JSON object on standard input.',
    'What it prints is the answer; a non-zero exit status is a failure.',
  ].join('\n'),
}
