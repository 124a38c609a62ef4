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

/** Changes a YAML file and keeps its comments. A file that is broken is not touched: `E_CONFIG`. */
export async function editYaml(
  source: string,
  file: string,
  change: (edit: YamlEdit) => void,
): Promise<string> {
  const { isMap, isSeq, parseDocument, YAMLMap, YAMLSeq } = await import('yaml')
  const document: Document = parseDocument(source, { prettyErrors: false, schema: 'core' })
  const error = document.errors[0]
  if (error) throw refuse(file, error.message)
  // A file of comments alone keeps them when it gets its first key.
  document.contents ??= new YAMLMap()
  const top = document.contents
  if (!isMap(top)) throw refuse(file, 'there is no map at its top')
  const root: YAMLMap = top
  change({
    root,
    list: (key) => {
      const found = root.get(key)
      if (isSeq(found)) return found
      if (found !== undefined && found !== null) throw refuse(file, `\`${key}\` is not a list`)
      return put(key, new YAMLSeq())
    },
    map: (key) => {
      const found = root.get(key)
      if (isMap(found)) return found
      if (found !== undefined && found !== null) throw refuse(file, `\`${key}\` is not a map`)
      return put(key, new YAMLMap())
    },
    node: (value) => document.createNode(value),
  })
  return document.toString({ lineWidth: 0, indentSeq: !/^[\w"'-]+:[ \t]*\n- /m.test(source) })

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
