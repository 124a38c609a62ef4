import type { Document, Node, YAMLMap, YAMLSeq } from 'yaml'
import { OrlaError } from '../model/index.ts'

export interface YamlEdit {
  /** The map at the top. */
  readonly root: YAMLMap
  /** The list below a key; made when it is not there. */
  readonly list: (key: string) => YAMLSeq
  readonly map: (key: string) => YAMLMap
  readonly node: (value: unknown) => Node
}

/**
 * Changes a YAML file and keeps its comments. Keys that are not changed stay as they are written, byte for byte.
 * A file that is broken is not touched: `E_CONFIG`.
 */
export async function editYaml(
  source: string,
  file: string,
  change: (edit: YamlEdit) => void,
): Promise<string> {
  const { isMap, isScalar, isSeq, parseDocument, YAMLMap, YAMLSeq } = await import('yaml')
  const document: Document = parseDocument(source, { prettyErrors: false, schema: 'core' })
  const error = document.errors[0]
  if (error) throw refuse(file, error.message)
  // A file of comments alone keeps them when it gets its first key.
  document.contents ??= new YAMLMap()
  const top = document.contents
  if (!isMap(top)) throw refuse(file, 'there is no map at its top')
  const root: YAMLMap = top
  const touched = new Set<string>()
  change({
    root,
    list: (key) => {
      touched.add(key)
      const found = root.get(key)
      if (isSeq(found)) return found
      if (found !== undefined && found !== null) throw refuse(file, `\`${key}\` is not a list`)
      return put(key, new YAMLSeq())
    },
    map: (key) => {
      touched.add(key)
      const found = root.get(key)
      if (isMap(found)) return found
      if (found !== undefined && found !== null) throw refuse(file, `\`${key}\` is not a map`)
      return put(key, new YAMLMap())
    },
    node: (value) => document.createNode(value),
  })
  const whole = document.toString({
    lineWidth: 0,
    indentSeq: !/^[\w"'-]+:[ \t]*\n- /m.test(source),
    flowCollectionPadding: !/[[{][^\s\]}]/.test(source),
  })
  const spliced = [...touched].reduce((text, key) => splice(text, whole, key), source)
  // Whatever is written in a way that cannot be taken apart by lines is written anew.
  return isSame(spliced, whole) ? spliced : whole

  /** `text` with the lines of a key as they are in `changed`. */
  function splice(text: string, changed: string, key: string): string {
    const [from, to] = linesOf(text, key) ?? [text.length, text.length]
    const [start, end] = linesOf(changed, key) ?? [0, 0]
    const before = text.slice(0, from)
    const gap = before === '' || before.endsWith('\n') ? '' : '\n'
    return before + gap + changed.slice(start, end) + text.slice(to)
  }

  /** From the line of a key to that of the next, without the comments that stand above the next. */
  function linesOf(text: string, key: string): readonly [number, number] | undefined {
    const { contents } = parseDocument(text, { prettyErrors: false, schema: 'core' })
    if (!isMap(contents)) return undefined
    const starts = contents.items.map((pair) => (isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0))
    const index = contents.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key)
    const start = starts[index]
    if (start === undefined) return undefined
    const lines = text.slice(start, starts[index + 1] ?? text.length).split(/(?<=\n)/)
    while (lines.length > 1 && /^(?:#.*)?\s*$/.test(lines.at(-1) ?? '')) lines.pop()
    return [start, start + lines.join('').length]
  }

  function isSame(a: string, b: string): boolean {
    const [left, right] = [a, b].map((text) => parseDocument(text, { prettyErrors: false, schema: 'core' }))
    return left?.errors.length === 0 && JSON.stringify(left.toJS()) === JSON.stringify(right?.toJS())
  }

  function put<T>(key: string, node: T): T {
    root.set(key, node)
    return node
  }
}

function refuse(file: string, reason: string): OrlaError {
  return new OrlaError('E_CONFIG', `${file} cannot be changed: ${reason}`, {
    hint: 'correct it by hand first',
  })
}
