import type { Spot } from './placed.ts'
import { isOdd, resolvePlain, type Scalar, takeFlow } from './plain-yaml-flow.ts'
import type { Path } from './shape.ts'

/** A value in a text, and where it stands. */
export interface PlainNode {
  readonly value: unknown
  readonly offset: number
  /** How a scalar is spelled. */
  readonly source?: string
  readonly pairs?: ReadonlyMap<string, PlainPair>
  readonly items?: readonly PlainNode[]
}

export interface PlainPair {
  readonly key: PlainNode
  readonly value: PlainNode
}

interface Line {
  readonly indent: number
  readonly text: string
  readonly offset: number
}

/** What was read, and the line that comes after it. */
interface Block {
  readonly node: PlainNode
  readonly next: number
}

const MAX_CHARACTERS = 65_536
const MAX_DEPTH = 10
/** No tabs, no carriage returns, nothing that a reader of YAML might take for a line break or a mark. */
const ALLOWED = /^[\n\x20-\x7e\u00a1-\u2027\u2030-\udfff]*$/
const KEY = /^([A-Za-z_][A-Za-z0-9_-]*):(?: +|$)/
const END = /^ *(?: #.*)?$/

/**
 * Most files are maps and lists of words, numbers and quoted text, each on its line. These are read here, exactly as the
 * library reads them; undefined is the answer to everything else, from escapes and long text to mistakes.
 */
export function readPlainYaml(source: string): PlainNode | undefined {
  if (source.length > MAX_CHARACTERS || !ALLOWED.test(source)) return undefined
  const lines = linesOf(source)
  if (lines.length === 0) return { value: null, offset: 0 }

  function block(at: number, depth: number): Block | undefined {
    const line = lines[at]
    if (line === undefined || depth > MAX_DEPTH) return undefined
    return line.text.startsWith('- ') ? list(at, line.indent, depth) : map(at, line, depth)
  }

  /** `first` is the first of its lines, or what of it stands behind the dash of a list. */
  function map(start: number, first: Line, depth: number): Block | undefined {
    const pairs = new Map<string, PlainPair>()
    const value: Record<string, unknown> = {}
    let at = start
    for (let line: Line | undefined = first; line !== undefined; line = lines[at]) {
      if (line.indent < first.indent || (at > start && isDashBelow(line, first))) break
      const [head, name = ''] = KEY.exec(line.text) ?? []
      if (line.indent > first.indent || head === undefined || isOdd(name) || pairs.has(name)) return undefined
      const rest = line.text.slice(head.length)
      const read = END.test(` ${rest}`)
        ? below(at + 1, line.indent, depth)
        : inline(rest, line.offset + head.length, at, line.indent)
      if (read === undefined) return undefined
      pairs.set(name, { key: { value: name, offset: line.offset, source: name }, value: read.node })
      value[name] = read.node.value
      at = read.next
    }
    return { node: { value, offset: first.offset, pairs }, next: at }
  }

  /** What belongs to a key is deeper than the key; the dashes of a list may stand right below it. */
  function below(at: number, indent: number, depth: number): Block | undefined {
    const line = lines[at]
    if (line === undefined || line.indent < indent) return undefined
    if (line.indent > indent) return block(at, depth + 1)
    return line.text.startsWith('- ') ? list(at, indent, depth + 1) : undefined
  }

  function list(start: number, indent: number, depth: number): Block | undefined {
    const items: PlainNode[] = []
    let at = start
    for (let line = lines[at]; line !== undefined; line = lines[at]) {
      if (line.indent < indent || (line.indent === indent && !line.text.startsWith('- '))) break
      const [dash = ''] = /^- +/.exec(line.text) ?? []
      const text = line.text.slice(dash.length)
      const item = { indent: indent + dash.length, text, offset: line.offset + dash.length }
      if (line.indent > indent || dash === '' || text.startsWith('- ')) return undefined
      const read = KEY.test(text) ? map(at, item, depth + 1) : inline(text, item.offset, at, indent)
      if (read === undefined || depth > MAX_DEPTH) return undefined
      items.push(read.node)
      at = read.next
    }
    return {
      node: { value: items.map((item) => item.value), offset: lines[start]?.offset ?? 0, items },
      next: at,
    }
  }

  /** A value on the line of its key or dash. A deeper line below would go on with it. */
  function inline(text: string, offset: number, at: number, indent: number): Block | undefined {
    const next = lines[at + 1]
    if (next !== undefined && next.indent > indent) return undefined
    const node = readInline(text, offset)
    return node && { node, next: at + 1 }
  }

  const whole = lines[0]?.indent === 0 ? block(0, 0) : undefined
  return whole?.next === lines.length ? whole.node : undefined
}

/** Where a path stands; the nearest thing above it when it is not there. */
export function findPlain(root: PlainNode, path: Path, onKey: boolean): Spot {
  let node = root
  let key: PlainNode | undefined
  for (const part of path) {
    const pair = node.pairs?.get(String(part))
    const next = node.items?.[Number(part)] ?? pair?.value
    if (next === undefined) break
    key = pair?.key ?? next
    node = next
  }
  const { offset, source } = (onKey && key) || node
  return { offset, ...(source === undefined ? {} : { spelled: source }) }
}

/** Lines that say something. */
function linesOf(source: string): Line[] {
  const lines: Line[] = []
  for (let at = 0; at < source.length; ) {
    const found = source.indexOf('\n', at)
    const end = found === -1 ? source.length : found
    let begin = at
    while (source[begin] === ' ') begin++
    if (begin < end && source[begin] !== '#')
      lines.push({ indent: begin - at, text: source.slice(begin, end), offset: begin })
    at = end + 1
  }
  return lines
}

/** Dashes at the height of a map end it; they belong to nothing when the map is not below a dash itself. */
function isDashBelow(line: Line, first: Line): boolean {
  return line.indent === first.indent && line.text.startsWith('- ')
}

function readInline(text: string, offset: number): PlainNode | undefined {
  const first = text[0] ?? ''
  const found = '[{\'"'.includes(first) ? takeFlow(text, 0, offset, 0) : takePlain(text, offset)
  return found !== undefined && END.test(text.slice(found.end)) ? found.node : undefined
}

function takePlain(text: string, offset: number): { node: PlainNode; end: number } | undefined {
  const comment = text.indexOf(' #')
  const source = (comment === -1 ? text : text.slice(0, comment)).trimEnd()
  const scalar: Scalar | undefined = /:(?: |$)/.test(source) ? undefined : resolvePlain(source)
  return scalar && { node: { value: scalar.value, offset, source }, end: source.length }
}
