import type { PlainNode, PlainPair } from './plain-yaml.ts'

export interface Scalar {
  readonly value: unknown
}

/** A value inside a line, and where it ends. */
export interface Taken {
  readonly node: PlainNode
  readonly end: number
}

const MAX_DEPTH = 8
/** What begins with another sign may be more than text. */
const FIRST = /^[A-Za-z0-9_./\u00a1-\udfff]/
const NUMBERS = [
  /^\.(?:inf|nan)$/i,
  /^0[ox][0-9a-f]+$/i,
  /^(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?$/i,
]
const FLOW_PLAIN = /^(?:[^,[\]{}:#"'`\n]|:(?=[^ ,[\]{}#"'`\n]))+/
const FLOW_KEY = /^([A-Za-z_][A-Za-z0-9_-]*): +/

/** What an unquoted word means; undefined when the library has to say. */
export function resolvePlain(source: string): Scalar | undefined {
  if (!FIRST.test(source)) return undefined
  switch (source) {
    case 'true':
      return { value: true }
    case 'false':
      return { value: false }
  }
  if (/^(?:true|false|null)$/i.test(source)) return undefined
  if (/^[0-9]{1,15}$/.test(source)) return { value: Number(source) }
  return NUMBERS.some((pattern) => pattern.test(source)) ? undefined : { value: source }
}

/** A list, a map, quoted or plain text within one line. `offset` is where the text begins. */
export function takeFlow(text: string, start: number, offset: number, depth: number): Taken | undefined {
  if (depth > MAX_DEPTH) return undefined
  switch (text[start] ?? '') {
    case '[':
      return takeList(text, start, offset, depth)
    case '{':
      return takeMap(text, start, offset, depth)
    case '"':
      return takeQuoted(/^"([^"\\]*)"/, text, start, offset)
    case "'":
      return takeQuoted(/^'([^']*)'(?!')/, text, start, offset)
    default:
      return takeFlowPlain(text, start, offset)
  }
}

function takeQuoted(pattern: RegExp, text: string, start: number, offset: number): Taken | undefined {
  const [whole, value] = pattern.exec(text.slice(start)) ?? []
  if (whole === undefined || value === undefined) return undefined
  return { node: { value, offset: offset + start, source: value }, end: start + whole.length }
}

function takeFlowPlain(text: string, start: number, offset: number): Taken | undefined {
  const source = FLOW_PLAIN.exec(text.slice(start))?.[0].trimEnd() ?? ''
  const scalar = resolvePlain(source)
  return (
    scalar && { node: { value: scalar.value, offset: offset + start, source }, end: start + source.length }
  )
}

function takeList(text: string, start: number, offset: number, depth: number): Taken | undefined {
  const items: PlainNode[] = []
  const end = takeParts(text, start + 1, ']', (at) => {
    const item = takeFlow(text, at, offset, depth + 1)
    if (item !== undefined) items.push(item.node)
    return item?.end
  })
  if (end === undefined) return undefined
  return { node: { value: items.map(({ value }) => value), offset: offset + start, items }, end }
}

function takeMap(text: string, start: number, offset: number, depth: number): Taken | undefined {
  const pairs = new Map<string, PlainPair>()
  const value: Record<string, unknown> = {}
  const end = takeParts(text, start + 1, '}', (at) => {
    const [head = '', name = ''] = FLOW_KEY.exec(text.slice(at)) ?? []
    const read =
      head === '' || pairs.has(name) ? undefined : takeFlow(text, at + head.length, offset, depth + 1)
    if (read === undefined || isOdd(name)) return undefined
    pairs.set(name, { key: { value: name, offset: offset + at, source: name }, value: read.node })
    value[name] = read.node.value
    return read.end
  })
  return end === undefined ? undefined : { node: { value, offset: offset + start, pairs }, end }
}

/** Parts between commas up to a bracket; where it ends. */
function takeParts(
  text: string,
  start: number,
  bracket: string,
  take: (at: number) => number | undefined,
): number | undefined {
  let at = afterSpaces(text, start)
  if (text[at] === bracket) return at + 1
  for (;;) {
    const end = take(at)
    if (end === undefined) return undefined
    at = afterSpaces(text, end)
    if (text[at] === bracket) return at + 1
    if (text[at] !== ',') return undefined
    at = afterSpaces(text, at + 1)
  }
}

function afterSpaces(text: string, start: number): number {
  let at = start
  while (text[at] === ' ') at++
  return at
}

/** Words that are not text to every reader, and one that is more than a key to JavaScript. */
export function isOdd(name: string): boolean {
  return /^(?:null|true|false|__proto__)$/i.test(name)
}
