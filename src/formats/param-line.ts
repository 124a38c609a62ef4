import type { Json, JsonSchema } from '../model/index.ts'
import { parseTyped, parseTypeWord, TYPE_HINT } from './type-word.ts'

export interface Param {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

export interface ParamMistake {
  readonly message: string
  readonly hint: string
}

const FORM = 'write it as: @param name {string} what it is'
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/
const DASH = /^[-–—:]\s+/
const BEFORE_QUOTE = /[=[{,:|(\s]/

/**
 * What follows `@param`: `name {type} text` or `{type} name text`, where `[name]` is optional and
 * `[name=value]` has a default. Without a type it is a string.
 */
export function parseParam(text: string): Param | ParamMistake {
  let rest = text.trim()
  let type: string | undefined
  let optional: string | undefined
  let name = ''

  if (rest.startsWith('{')) {
    const end = closingOf(rest)
    if (end < 0) return { message: 'the type of this @param is not closed with }', hint: FORM }
    type = rest.slice(1, end)
    rest = rest.slice(end + 1).trimStart()
  }
  if (rest.startsWith('[')) {
    const end = closingOf(rest)
    if (end < 0) return { message: 'the name of this @param is not closed with ]', hint: FORM }
    optional = rest.slice(1, end)
    name = optional.split('=', 1)[0]?.trim() ?? ''
    rest = rest.slice(end + 1).trimStart()
  } else {
    const end = rest.search(/[\s{]/)
    name = end < 0 ? rest : rest.slice(0, end)
    rest = rest.slice(name.length).trimStart()
  }
  if (name === '') return { message: 'this @param has no name', hint: FORM }
  if (!NAME.test(name)) {
    return { message: `\`${name}\` cannot be the name of a @param`, hint: 'letters, digits, _ and - can' }
  }
  if (type === undefined && rest.startsWith('{')) {
    const end = closingOf(rest)
    if (end < 0) return { message: `the type of \`${name}\` is not closed with }`, hint: FORM }
    type = rest.slice(1, end)
    rest = rest.slice(end + 1)
  }

  const typed = parseTypeWord(type ?? 'string')
  if (typed === null) return { message: `\`${name}\` has the unknown type {${type}}`, hint: TYPE_HINT }
  const misuse = misuseOf(name, typed)
  if (misuse) return misuse
  const schema: Record<string, Json> = { ...typed }
  const description = rest.trim().replace(DASH, '')
  if (description !== '') schema.description = description
  if (!optional?.includes('=')) return { name, schema, required: optional === undefined }

  const written = optional.slice(optional.indexOf('=') + 1).trim()
  const value = parseTyped(written, typed)
  if (value === undefined) {
    return {
      message: `the default of \`${name}\` does not fit its type: ${written === '' ? 'nothing' : written}`,
      hint: `it must be {${type}}; lists and objects are written as JSON`,
    }
  }
  schema.default = value
  return { name, schema, required: false }
}

/** `stdin` and `args` have their own ways into a tool, which other types cannot take. */
function misuseOf(name: string, schema: JsonSchema): ParamMistake | undefined {
  if (name === 'stdin' && schema.type !== 'string') {
    return { message: '`stdin` is the text for standard input', hint: 'declare it as {string}' }
  }
  if (name === 'args' && schema.type !== 'array') {
    return { message: '`args` is the list of positional words', hint: 'declare it as {string[]}' }
  }
  return undefined
}

/** Where the bracket that opens the text is closed, brackets inside quotes aside; -1 if nowhere. */
function closingOf(text: string): number {
  const close = text.startsWith('{') ? '}' : ']'
  const open = text.charAt(0)
  // Nearly always nothing is nested and nothing quoted.
  const first = text.indexOf(close)
  if (first < 0) return -1
  if (text.lastIndexOf(open, first) === 0 && text.lastIndexOf('"', first) < 0) return first
  let depth = 0
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (quote !== '') {
      if (char === '\\') i++
      else if (char === quote) quote = ''
    } else if (char === '"' && BEFORE_QUOTE.test(text.charAt(i - 1))) quote = char
    else if (char === open) depth++
    else if (char === close && --depth === 0) return i
  }
  return -1
}
