import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../model/index.ts'

/** What a call adds to a command: words behind its own, and standard input. */
export interface Invocation {
  readonly words: readonly string[]
  readonly stdin: string
}

/**
 * Each argument becomes `--key value`, in the order of the schema and then as given; the words of a list `args`
 * follow. A text `stdin` is standard input as it is, otherwise that carries all arguments as one JSON object.
 * `stdin` and `args` of another type are arguments like any other.
 */
export function buildInvocation(
  args: JsonObject,
  schema: JsonSchema | undefined,
): Invocation | { readonly problem: string } {
  const words: string[] = []
  const { stdin, args: positional } = args
  for (const name of inSchemaOrder(Object.keys(args), schema)) {
    if (name === 'stdin' && typeof stdin === 'string') continue
    if (name === 'args' && Array.isArray(positional)) continue
    if (!canBeFlag(name))
      return { problem: `${JSON.stringify(name)} cannot be passed on as a flag: ${FLAG_RULE}` }
    const value = asWord(args[name] ?? null)
    if (value.includes('\0'))
      return { problem: `\`${name}\` contains a NUL character, which no command line can carry` }
    words.push(`--${name.replaceAll('_', '-')}`, value)
  }
  for (const [index, element] of (Array.isArray(positional) ? positional : []).entries()) {
    const word = asWord(element)
    if (word.includes('\0'))
      return { problem: `\`args[${index}]\` contains a NUL character, which no command line can carry` }
    words.push(word)
  }
  return { words, stdin: typeof stdin === 'string' ? stdin : JSON.stringify(args) }
}

const FLAG_RULE =
  'a name must not be empty, begin with `-`, or contain white space, `=` or control characters'

function inSchemaOrder(names: readonly string[], schema: JsonSchema | undefined): string[] {
  const properties = schema?.properties
  const declared = isJsonObject(properties) ? Object.keys(properties) : []
  const given = new Set(names)
  return [...new Set([...declared.filter((name) => given.has(name)), ...names])]
}

function canBeFlag(name: string): boolean {
  return name !== '' && !name.startsWith('-') && !/[\s=\p{Cc}]/u.test(name)
}

function asWord(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
