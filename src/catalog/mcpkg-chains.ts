import type { Problem, Tool } from '../model/index.ts'
import type { PackageFindings } from './packages.ts'
import { wayToTool } from './way-to-tool.ts'

/**
 * The tools of packages without the chains that could never run: a step calls a tool that is not there, or the chain
 * comes back to itself. Each of them is a problem instead. `others` are the names of all other tools.
 */
export function judgeChains(
  found: PackageFindings,
  others: () => readonly string[],
): { readonly tools: readonly Tool[]; readonly problems: readonly Problem[] } {
  const { tools: all } = found
  const chains = all.filter(isChain)
  if (chains.length === 0) return { tools: all, problems: [] }
  const names = [...all.map(({ name }) => name), ...others()]
  const served = new Set(names)
  const problems: Problem[] = []
  const byName = new Map(chains.map((chain) => [chain.name, chain]))
  for (const chain of chains) {
    const circle = circleOf(chain.name, byName)
    if (circle !== undefined) drop(chain, problemOf(chain, `calls itself: ${circle.join(' → ')}`))
  }
  // One that goes may be what another one calls.
  for (let before = -1; before !== served.size; ) {
    before = served.size
    for (const chain of chains.filter(({ name }) => served.has(name))) {
      const missing = [...new Set(stepTools(chain))].filter((name) => !served.has(name))
      if (missing.length > 0) drop(chain, missingTools(chain, missing, names, found))
    }
  }
  return { tools: all.filter(({ name }) => served.has(name)), problems }

  function drop({ name }: Tool, problem: Problem): void {
    served.delete(name)
    problems.push(problem)
  }
}

export function isChain({ run }: Tool): boolean {
  return run.kind === 'chain'
}

function stepTools({ run }: Tool): string[] {
  return run.kind === 'chain' ? run.steps.map(({ tool }) => tool) : []
}

/** The way from a chain back to itself; undefined when there is none. */
function circleOf(start: string, chains: ReadonlyMap<string, Tool>): string[] | undefined {
  const seen = new Set<string>()
  const ways: string[][] = [[start]]
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const chain = chains.get(way.at(-1) ?? '')
    for (const next of chain === undefined ? [] : stepTools(chain)) {
      if (next === start) return [...way, next]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

function missingTools(
  chain: Tool,
  missing: readonly string[],
  names: readonly string[],
  found: PackageFindings,
): Problem {
  const [first = ''] = missing
  const shown = missing.map((name) => `\`${name}\``).join(', ')
  const problem = problemOf(chain, `calls ${shown}, which ${missing.length === 1 ? 'is' : 'are'} not served`)
  const others = names.filter((name) => name !== chain.name)
  return { ...problem, hint: wayToTool(first, others, found) }
}

function problemOf({ name, origin }: Tool, why: string): Problem {
  return { file: origin.file, message: `\`${name}\` is not served: its chain ${why}` }
}
