import type { Tool } from '../model/index.ts'

/** The same map, except that a tool is confirmed by `find` when it is looked up for the first time. */
export function confirmedTools(
  tools: ReadonlyMap<string, Tool>,
  find: (name: string) => Tool | undefined,
): ReadonlyMap<string, Tool> {
  const confirmed = new Map<string, Tool>()
  return {
    get(name) {
      const known = confirmed.get(name)
      if (known !== undefined || !tools.has(name)) return known
      const tool = find(name)
      if (tool !== undefined) confirmed.set(name, tool)
      return tool
    },
    has: (name) => tools.has(name),
    size: tools.size,
    keys: () => tools.keys(),
    values: () => tools.values(),
    entries: () => tools.entries(),
    forEach(visit, self) {
      for (const [name, tool] of tools) visit.call(self, tool, name, this)
    },
    [Symbol.iterator]: () => tools.entries(),
  }
}
