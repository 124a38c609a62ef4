const TAKEN = ['input', 'item', 'index']
const LONGEST = 60

/** A name for each step: the last word of its tool, with a number where two would have the same. */
export function stepNames(tools: readonly string[]): string[] {
  const names: string[] = []
  for (const tool of tools) {
    const last = tool.split('.').at(-1) ?? tool
    const word =
      last
        .replace(/[^A-Za-z0-9_]/g, '_')
        .replace(/^(?=\d)/, '_')
        .slice(0, LONGEST) || 'step'
    const base = TAKEN.includes(word) ? `${word}_step` : word
    let name = base
    for (let number = 2; names.includes(name); number++) name = `${base}_${number}`
    names.push(name)
  }
  return names
}

/** A toolId that says what a chain does. */
export function chainName(steps: readonly string[]): string {
  return `local.chains.${steps.join('_').toLowerCase().slice(0, 100)}`
}
