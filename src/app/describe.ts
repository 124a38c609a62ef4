import { type Catalog, showHidden, type Tool } from '../model/index.ts'
import { readTextIfThere } from '../platform/index.ts'

/** More of an example would cost every model that lists the tools more than it helps. */
const MOST_CHARACTERS = 2_000

/** The description of a tool with the first example its package brings. */
export function describeWithExample(catalog: () => Catalog): (tool: Tool) => string {
  return (tool) => {
    const prefix = `orla://tool/${encodeURIComponent(tool.name)}/examples/`
    const example = catalog().documents?.find(({ uri }) => uri.startsWith(prefix))
    const text = example && readIfPossible(example.file)
    return text === undefined || text.length > MOST_CHARACTERS
      ? tool.description
      : `${tool.description}\n\nExample:\n${showHidden(text.trim())}`
  }
}

/** A file that vanished or is none only means that there is no example. */
function readIfPossible(file: string): string | undefined {
  try {
    return readTextIfThere(file)
  } catch {
    return undefined
  }
}
