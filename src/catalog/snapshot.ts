import type { Catalog, Problem, Tool } from '../model/index.ts'

/** What one file gave: a tool, problems, or both. */
export interface Finding {
  readonly tool?: Tool
  readonly problems: readonly Problem[]
}

/**
 * The catalog of everything found. Of two tools with one name the first serves and the other becomes
 * a problem, so the order of the findings decides and must not depend on chance.
 */
export function snapshot(findings: readonly Finding[]): Catalog {
  const tools = new Map<string, Tool>()
  const problems: Problem[] = []
  for (const { tool, problems: own } of findings) {
    problems.push(...own)
    if (tool === undefined) continue
    const first = tools.get(tool.name)
    if (first === undefined) tools.set(tool.name, tool)
    else problems.push(conflict(first, tool))
  }
  return { tools, problems: problems.sort(byFile) }
}

function conflict(first: Tool, second: Tool): Problem {
  return {
    file: second.origin.file,
    message: `is not served: ${first.origin.file} is the tool \`${first.name}\` already`,
    hint: 'rename one of the two files',
  }
}

function byFile(a: Problem, b: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return (a.line ?? 0) - (b.line ?? 0)
}
