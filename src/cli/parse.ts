import { nearest, OrlaError } from '../model/index.ts'
import type { Command, Input, Option } from './command.ts'

/** Options that every command takes. */
export const COMMON: readonly Option[] = [
  { name: 'config', value: 'FILE', about: 'Configuration file (default: the nearest orla.yaml upward)' },
  { name: 'help', short: 'h', about: 'Show help' },
]

/** Words behind the command → what it was given. Options and words may be mixed; `--` ends the options. */
export function parseWords(command: Command, words: readonly string[]): Input {
  const known = [...command.options, ...COMMON]
  const positionals: string[] = []
  const given = new Map<string, (string | true)[]>()
  const queue = [...words]
  let onlyWords = false

  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (onlyWords || word === '-' || !word.startsWith('-')) {
      positionals.push(word)
    } else if (word === '--') {
      onlyWords = true
    } else {
      const [name, attached] = splitOption(word)
      const option = findOption(command, known, name)
      given.set(option.name, [...(given.get(option.name) ?? []), readValue(option, name, attached, queue)])
    }
  }
  const input: Input = {
    positionals,
    options: Object.fromEntries([...given].map(([name, values]) => [name, values.at(-1) ?? true])),
    all: (name) => (given.get(name) ?? []).filter((value) => value !== true),
    text: (name) => {
      const value = given.get(name)?.at(-1)
      return value === true ? undefined : value
    },
    flag: (name) => given.has(name),
  }
  if (!input.flag('help')) checkPositionals(command, positionals)
  return input
}

function splitOption(word: string): [name: string, attached: string | undefined] {
  const equals = word.indexOf('=')
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

function findOption(command: Command, known: readonly Option[], written: string): Option {
  const found = known.find(
    (option) => written === `--${option.name}` || (option.short && written === `-${option.short}`),
  )
  if (found) return found
  const close = nearest(
    written.replace(/^-+/, ''),
    known.map((option) => option.name),
  )
  throw new OrlaError('E_USAGE', `\`${command.name}\` has no option ${written}`, {
    hint: close ? `did you mean --${close}?` : `see \`orla help ${command.name}\``,
  })
}

function readValue(
  option: Option,
  written: string,
  attached: string | undefined,
  queue: string[],
): string | true {
  if (option.value === undefined) {
    if (attached === undefined) return true
    throw new OrlaError('E_USAGE', `${written} takes no value`)
  }
  const value = attached ?? queue.shift()
  if (value === undefined)
    throw new OrlaError('E_USAGE', `${written} needs a value: ${written} ${option.value}`)
  if (option.choices && !option.choices.includes(value)) {
    throw new OrlaError(
      'E_USAGE',
      `${written} must be one of ${option.choices.join(', ')}, not ${JSON.stringify(value)}`,
    )
  }
  return value
}

function checkPositionals(command: Command, words: readonly string[]): void {
  const { positionals } = command
  const usage = `usage: ${usageOf(command)}`
  const needed = positionals.filter((positional) => !positional.optional)
  const missing = needed[words.length]
  if (missing) throw new OrlaError('E_USAGE', `${missing.name} is missing`, { hint: usage })
  if (words.length > positionals.length && !positionals.at(-1)?.many) {
    throw new OrlaError('E_USAGE', `unexpected word ${JSON.stringify(words[positionals.length])}`, {
      hint: usage,
    })
  }
  positionals.forEach(({ name, choices }, index) => {
    const word = words[index]
    if (word === undefined || !choices || choices.includes(word)) return
    throw new OrlaError(
      'E_USAGE',
      `${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(word)}`,
    )
  })
}

export function usageOf(command: Command): string {
  const words = command.positionals.map(({ name, optional, many }) => {
    const shown = many ? `${name}…` : name
    return optional ? `[${shown}]` : shown
  })
  return ['orla', command.name, ...words, ...(command.options.length > 0 ? ['[options]'] : [])].join(' ')
}
