/** What is said when no newer version was found: of those that did not answer nobody knows. */
export function nothingNewer(unasked: readonly { readonly name: string }[]): string {
  if (unasked.length === 0) return 'Everything is up to date.'
  return `Nothing newer was found; unknown: ${unasked.map(({ name }) => name).join(', ')}`
}
