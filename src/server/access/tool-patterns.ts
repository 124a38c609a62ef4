import type { Access } from './principal.ts'

type Matches = (tool: string) => boolean

/** Whether a name fits one of the patterns: the name itself, or with `*` for any run of characters. */
export function matcherOf(patterns: readonly string[]): Matches {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const wild = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'))
  return (tool) => exact.has(tool) || wild.some((parts) => fits(parts, tool))
}

// By hand: a pattern of many stars must not take an expression engine minutes.
function fits(parts: readonly string[], tool: string): boolean {
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  if (tool.length < first.length + last.length || !tool.startsWith(first) || !tool.endsWith(last))
    return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = tool.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= tool.length - last.length
}

/** What a list of patterns opens, and nothing else does. */
export function listedAccess(patterns: readonly string[]): Access {
  return { allows: matcherOf(patterns), scopeFor: () => undefined }
}

/** The more combinations of scopes are asked for, the less they are worth remembering. */
const REMEMBERED = 256

/** What the scopes of a token open. The same scopes give the same object. */
export function createScopes(
  scopes: Readonly<Record<string, readonly string[]>>,
): (granted: readonly string[]) => Access {
  const known = Object.entries(scopes).map(([scope, patterns]) => ({ scope, opens: matcherOf(patterns) }))
  const remembered = new Map<string, Access>()
  return (granted) => {
    const held = known.filter(({ scope }) => granted.includes(scope))
    const key = held.map(({ scope }) => scope).join(' ')
    const same = remembered.get(key)
    if (same) return same
    const access: Access = {
      allows: (tool) => held.some(({ opens }) => opens(tool)),
      scopeFor: (tool) => known.find(({ opens }) => opens(tool))?.scope,
    }
    if (remembered.size >= REMEMBERED) remembered.clear()
    remembered.set(key, access)
    return access
  }
}
