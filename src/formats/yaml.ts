import type { Document, Node, Pair, YAMLMap } from 'yaml'
import { createPlacer, createPlaces, type Place, type Reading, refuse, type Spot } from './placed.ts'
import type { Flaw, Issue, Path, Shape } from './shape.ts'

const MIB = 1_048_576
const MAX_CHARACTERS = MIB
const MAX_DEPTH = 64
/** More than that many open tokens are more than that many levels; fewer are counted exactly. */
const MAX_STACK = 4 * MAX_DEPTH
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`
const MAX_ALIASES = 100
/** Behind the first syntax errors stand only their consequences. */
const MAX_SYNTAX_ERRORS = 20

export type ReadYaml = <T>(
  source: string,
  file: string,
  shape: Shape<T>,
  options?: { readonly maxCharacters?: number },
) => Reading<T>

/**
 * The YAML reader, loaded when the first file needs it. Every problem is reported with its place;
 * alias bombs, duplicate keys, deep nesting and huge files are refused, in time that grows with the text only.
 */
export async function loadYaml(): Promise<ReadYaml> {
  const { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } = await import('yaml')

  return (written, file, shape, { maxCharacters = MAX_CHARACTERS } = {}) => {
    if (written.length > maxCharacters) {
      return refuse(file, [{ message: `is larger than ${maxCharacters / MIB} MiB` }])
    }
    const source = written.replace(/^\uFEFF/, '')
    const placeOf = createPlaces(source)
    const parsed = parse(source)
    if ('offset' in parsed) return refuse(file, [{ ...placeOf(parsed.offset), message: parsed.message }])
    const { document } = parsed
    if (document.errors.length > 0) {
      const described = document.errors.slice(0, MAX_SYNTAX_ERRORS).map(({ code, message, pos }) => ({
        ...placeOf(pos[0]),
        ...describeSyntax(code, message),
      }))
      return refuse(file, described.filter(isFirstOfItsLine))
    }
    const faults = inspect(document.contents)
    if (faults.length > 0) {
      return refuse(
        file,
        faults.map(({ offset, ...flaw }) => ({ ...placeOf(offset), ...flaw })),
      )
    }
    if (unfoldedLength(document.contents) > maxCharacters) {
      return refuse(file, [
        { message: `is larger than ${maxCharacters / MIB} MiB with its aliases written out` },
      ])
    }
    let plain: unknown
    try {
      plain = document.toJS({ maxAliasCount: MAX_ALIASES })
    } catch (error) {
      return refuse(file, [{ message: error instanceof Error ? error.message : String(error) }])
    }
    const toProblem = createPlacer(file, source, createFinder(document.contents))
    const issues: Issue[] = []
    const value = shape.read(plain ?? {}, [], issues)
    return {
      value,
      problems: issues.map(toProblem),
      problemAt: (path, flaw) => toProblem({ path, ...flaw }),
    }
  }

  /**
   * The one document of a file. Composing goes as deep as the nesting, and at the end of the stack V8 ends the
   * process: what is nested too deep is refused while it is still a stack of tokens.
   */
  function parse(source: string): { readonly document: Document.Parsed } | Fault {
    const parser = new Parser()
    let deepAt: number | undefined
    function* tokens() {
      for (const lexeme of new Lexer().lex(source)) {
        yield* parser.next(lexeme)
        if (parser.stack.length <= MAX_STACK) continue
        deepAt = parser.offset
        return
      }
      yield* parser.end()
    }
    // Pretty errors and the library's own check for unique keys take quadratic time. A %YAML 1.1 line
    // must not bring dates, sets and bytes, which no shape expects.
    const composer = new Composer({ prettyErrors: false, uniqueKeys: false, schema: 'core' })
    const [document, second] = composer.compose(tokens(), true, source.length)
    if (deepAt !== undefined || document === undefined) return { offset: deepAt ?? 0, message: TOO_DEEP }
    if (second !== undefined && document.errors.length === 0) {
      return { offset: second.range[0], message: 'a second document begins here; a file holds one' }
    }
    return { document }
  }

  /** What the library lets pass and no file of ours may have. */
  function inspect(root: Node | null): Fault[] {
    const faults: Fault[] = []
    const waiting: [unknown, number][] = [[root, 0]]
    let aliases = 0
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [node, depth] = next
      const offset = offsetOf(node)
      if (depth > MAX_DEPTH) return [{ offset, message: TOO_DEEP }]
      if (isAlias(node) && ++aliases > MAX_ALIASES) return [{ offset, message: 'has too many aliases' }]
      if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value)) {
        faults.push({ offset, message: `\`${node.source}\` is no number that JSON knows` })
      }
      if (isSeq(node)) for (const item of node.items) waiting.push([item, depth + 1])
      if (isMap(node)) {
        faults.push(...keyFaults(node))
        for (const { key, value } of node.items) waiting.push([key, depth + 1], [value, depth + 1])
      }
    }
    return faults.sort((a, b) => a.offset - b.offset)
  }

  /** How long the text is when every alias is written out. Aliases look back only; nothing here is deep. */
  function unfoldedLength(root: Node | null): number {
    const lengths = new Map<string, number>()
    function measure(node: unknown): number {
      if (isAlias(node)) return lengths.get(node.source) ?? 0
      let length = 0
      if (isSeq(node)) for (const item of node.items) length += measure(item)
      else if (isMap(node)) for (const { key, value } of node.items) length += measure(key) + measure(value)
      else if (isScalar(node)) length = (node.range?.[1] ?? 0) - (node.range?.[0] ?? 0)
      else return 0
      if (node.anchor !== undefined) lengths.set(node.anchor, length)
      return length
    }
    return measure(root)
  }

  function keyFaults(map: YAMLMap): Fault[] {
    const seen = new Set<string>()
    return map.items.flatMap(({ key }): Fault[] => {
      const offset = offsetOf(key)
      if (key !== null && !isScalar(key)) return [{ offset, message: 'a key must be plain text' }]
      const name = String(key?.value)
      if (seen.has(name)) return [{ offset, message: 'the same key stands twice in one map' }]
      seen.add(name)
      return []
    })
  }

  /** Where a path stands; the nearest thing above it when it is not there. */
  function createFinder(root: Node | null): (path: Path, onKey: boolean) => Spot | undefined {
    const indexes = new WeakMap<YAMLMap, Map<string, Pair>>()
    return (path, onKey) => {
      let node: unknown = root
      let key: unknown
      for (const part of path) {
        const pair: Pair | undefined = isMap(node) ? pairOf(node, String(part)) : undefined
        const next: unknown = isSeq(node) ? node.items[Number(part)] : (pair?.value ?? pair?.key)
        if (next === undefined) break
        key = pair?.key ?? next
        node = next
      }
      const found = (onKey && key) || node
      const spelled = isScalar(found) ? found.source : undefined
      return { offset: offsetOf(found), ...(spelled === undefined ? {} : { spelled }) }
    }

    function pairOf(map: YAMLMap, name: string): Pair | undefined {
      const index =
        indexes.get(map) ??
        new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : '', pair]))
      indexes.set(map, index)
      return index.get(name)
    }
  }
}

interface Fault extends Flaw {
  readonly offset: number
}

function offsetOf(node: unknown): number {
  // Everything in a parsed document is a node of the library, or null.
  return (node as Node | null | undefined)?.range?.[0] ?? 0
}

/** What is wrong twice on one line is told once. */
function isFirstOfItsLine(flaw: Flaw & Place, index: number, all: readonly (Flaw & Place)[]): boolean {
  return all.findIndex(({ line, message }) => line === flaw.line && message === flaw.message) === index
}

function describeSyntax(code: string, message: string): Flaw {
  if (code === 'TAB_AS_INDENT' || /\btabs?\b/i.test(message)) {
    return { message: 'a tab is used for indentation', hint: 'YAML is indented with spaces' }
  }
  return { message }
}
