/** What a JSONPath takes from the root. */
export interface RootNames {
  readonly names: readonly string[]
  /** It looks at more than named members: `$..x`, `$[*]`, `$`. */
  readonly isOpen: boolean
}

// A string, or a `$` with the first segment behind it. The path is known to be one.
const TOKEN =
  /\$\s*\.\s*(?!\.)([^\s.[\]()'",*?=<>!&|]+)|\$\s*\[\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*\]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\$/gs

/** The first segment of every absolute query in a path, those inside filters too. */
export function rootNames(path: string): RootNames {
  const names: string[] = []
  let isOpen = false
  for (const [token, plain, quoted] of path.matchAll(TOKEN)) {
    if (plain !== undefined) names.push(plain)
    else if (quoted !== undefined) names.push(unquote(quoted))
    else if (token === '$') isOpen = true
  }
  return { names: [...new Set(names)], isOpen }
}

function unquote(quoted: string): string {
  const inner = quoted
    .slice(1, -1)
    .replace(/\\'/g, "'")
    .replace(/(?<!\\)"/g, '\\"')
  try {
    return String(JSON.parse(`"${inner}"`))
  } catch {
    return inner // no name of a step is spelled like this
  }
}
