import { type Catalog, lookNumber, looksOf, type Problem, type Tool } from '../model/index.ts'
import { confirmedTools } from './confirmed-tools.ts'

/** What one file gave: a tool, problems, or both. */
export interface Finding {
  readonly tool?: Tool
  readonly problems: readonly Problem[]
}

export interface Findings {
  /** Everything, in the order in which names are given away. */
  all(): readonly Finding[]
  /** What may be the tool of that name, in the same order. */
  named(name: string): readonly Finding[]
}

/**
 * The catalog of everything that was found. Of two tools with one name the first serves and the other becomes
 * a problem, so the order of the findings decides and must not depend on chance. A tool that is looked up, which
 * is what a call does, is the one that its file itself describes, whatever a cache told everyone else about it.
 */
export function snapshot(findings: Findings): Catalog {
  const { tools, problems } = settle(findings.all())
  const find = (name: string) => findings.named(name).find(({ tool }) => tool?.name === name)?.tool
  return { tools: confirmedTools(tools, find), problems }
}

function settle(findings: readonly Finding[]) {
  const tools = new Map<string, Tool>()
  const problems: Problem[] = []
  const findTwin = createTwins()
  for (const { tool, problems: own } of findings) {
    if (own.length > 0) problems.push(...own)
    if (tool === undefined) continue
    const first = tools.get(tool.name)
    if (first !== undefined) {
      problems.push(conflict(first, tool))
      continue
    }
    tools.set(tool.name, tool)
    const twin = findTwin(tool)
    if (twin !== undefined) problems.push(confusion(twin, tool))
  }
  return { tools, problems: problems.sort(byFile) }
}

/** Gives the tool whose name looks the same, if one came before. */
function createTwins(): (tool: Tool) => Tool | undefined {
  const known = new Map<number, Tool | Map<string, Tool>>()
  return (tool) => {
    const number = lookNumber(tool.name)
    const alike = known.get(number)
    if (alike === undefined) {
      known.set(number, tool)
      return undefined
    }
    // Only now do their looks matter in detail.
    const looks = alike instanceof Map ? alike : new Map<string, Tool>()
    if (!(alike instanceof Map)) lookAlike(looks, alike)
    known.set(number, looks)
    return lookAlike(looks, tool)
  }
}

function lookAlike(looks: Map<string, Tool>, tool: Tool): Tool | undefined {
  let twin: Tool | undefined
  for (const look of looksOf(tool.name)) {
    twin ??= looks.get(look)
    if (!looks.has(look)) looks.set(look, tool)
  }
  return twin
}

/** Both serve: which of them is meant is for a person to say. */
function confusion(first: Tool, second: Tool): Problem {
  return {
    file: second.origin.file,
    message: `the tool \`${second.name}\` is easily taken for \`${first.name}\` (${first.origin.file})`,
    hint: 'rename one of the two, or remove the one you do not know',
  }
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
