/** What is known of a tool that a chain may call: what its package asks for, and what it calls itself. */
export interface CalledTool {
  readonly permissions: readonly string[]
  readonly calls: readonly string[]
}

/** A permission that a chain uses through the tools it calls. */
export interface CalledPermission {
  readonly word: string
  /** Whose it is, in the order in which they are called. */
  readonly tools: readonly string[]
}

/** The permissions of all tools that are called, and of those that these call. A tool nobody knows adds none. */
export function calledPermissions(
  calls: readonly string[],
  find: (name: string) => CalledTool | undefined,
): CalledPermission[] {
  const byWord = new Map<string, string[]>()
  // A set takes in what is added while it is walked, each once: a circle ends.
  const names = new Set(calls)
  for (const name of names) {
    const tool = find(name)
    for (const word of tool?.permissions ?? []) byWord.set(word, [...(byWord.get(word) ?? []), name])
    for (const next of tool?.calls ?? []) names.add(next)
  }
  return [...byWord].map(([word, tools]) => ({ word, tools }))
}
