import type { Node, Pair } from 'yaml'
import type { Problem } from '../model/index.ts'
import type { Issue, Path, Shape } from './shape.ts'

const MAX_CHARACTERS = 1_048_576
const MAX_DEPTH = 64

export interface YamlResult<T> {
  /** undefined when the text is not YAML or its top does not fit. */
  readonly value: T | undefined
  readonly problems: readonly YamlProblem[]
}

export interface YamlProblem extends Problem {
  readonly line: number
  readonly column: number
  /** JSON pointer of the value concerned. */
  readonly pointer: string
}

export type ReadYaml = <T>(source: string, file: string, shape: Shape<T>) => YamlResult<T>

/**
 * The YAML reader, loaded when the first file needs it. Every problem is reported with its place;
 * alias bombs, duplicate keys, deep nesting and huge files are refused.
 */
export async function loadYaml(): Promise<ReadYaml> {
  const { isMap, isPair, isScalar, LineCounter, parseDocument } = await import('yaml')

  return (source, file, shape) => {
    if (source.length > MAX_CHARACTERS) return refuse(file, 'is larger than 1 MiB')
    const lines = new LineCounter()
    const document = parseDocument(source.replace(/^\uFEFF/, ''), { lineCounter: lines, uniqueKeys: true })
    const place = (offset: number) => {
      const { line, col } = lines.linePos(offset)
      return { line: Math.max(line, 1), column: Math.max(col, 1) }
    }
    if (document.errors.length > 0) {
      const problems = document.errors.map((error) => ({
        file,
        pointer: '',
        ...place(error.pos[0]),
        ...describeSyntax(error.code, error.message),
      }))
      return { value: undefined, problems }
    }
    if (depthOf(document.contents) > MAX_DEPTH)
      return refuse(file, `is nested deeper than ${MAX_DEPTH} levels`)

    let plain: unknown
    try {
      plain = document.toJS({ maxAliasCount: 100 })
    } catch (error) {
      return refuse(file, error instanceof Error ? error.message : String(error))
    }
    const issues: Issue[] = []
    const value = shape.read(plain ?? {}, [], issues)
    return { value, problems: issues.map((issue) => toProblem(issue)) }

    function toProblem(issue: Issue): YamlProblem {
      const node = nodeAt(issue.path, issue.onKey === true)
      const spelled = isScalar(node) ? node.source : undefined
      const key = issue.path.at(-1)
      const hint =
        issue.quote && spelled !== undefined ? `put it in quotes: ${key}: "${spelled}"` : issue.hint
      const name = issue.path.filter((part) => typeof part === 'string').join('.')
      return {
        file,
        pointer: toPointer(issue.path),
        message: name === '' || issue.onKey ? issue.message : `\`${name}\` ${issue.message}`,
        ...(hint === undefined ? {} : { hint }),
        ...place(node?.range?.[0] ?? 0),
      }
    }

    function nodeAt(path: Path, wantKey: boolean): Node | undefined {
      let node: unknown = document.contents
      let key: unknown
      for (const part of path) {
        if (isMap(node)) {
          const pair: Pair | undefined = node.items.find(
            (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(part),
          )
          key = pair?.key
          node = pair?.value ?? pair?.key
        } else {
          node = document.getIn(path.slice(0, path.indexOf(part) + 1), true)
          key = node
        }
      }
      // Everything in a parsed document is a node of the library.
      return ((wantKey && key) || node || document.contents || undefined) as Node | undefined
    }
  }
}

function refuse(file: string, message: string): YamlResult<never> {
  return { value: undefined, problems: [{ file, message, line: 1, column: 1, pointer: '' }] }
}

function describeSyntax(code: string, message: string): { message: string; hint?: string } {
  const first = message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message
  if (code === 'TAB_AS_INDENT' || /tab/i.test(first)) {
    return { message: 'a tab is used for indentation', hint: 'YAML is indented with spaces' }
  }
  if (code === 'DUPLICATE_KEY') return { message: 'the same key stands twice in one map' }
  return { message: first }
}

function toPointer(path: Path): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')
}

function depthOf(node: unknown, depth = 0): number {
  if (depth > MAX_DEPTH || typeof node !== 'object' || node === null || !('items' in node)) return depth
  let deepest = depth
  for (const item of (node as { items: readonly unknown[] }).items) {
    const child = typeof item === 'object' && item !== null && 'key' in item ? (item as Pair).value : item
    deepest = Math.max(deepest, depthOf(child, depth + 1))
  }
  return deepest
}
