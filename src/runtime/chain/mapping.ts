import type { JsonPath } from '../../formats/index.ts'
import type { ChainStep, Json, JsonObject } from '../../model/index.ts'

type Problem = { readonly problem: string }

/**
 * The arguments of a step. A path that selects one value gives it, several a list, none leaves the key out, so
 * that the tool's own default holds.
 */
export function mapInput(
  { input }: Pick<ChainStep, 'input'>,
  scope: JsonObject,
  jsonPath: JsonPath,
): { readonly value: JsonObject } | Problem {
  const entries: [string, Json][] = []
  for (const [key, source] of Object.entries(input)) {
    if (source.kind === 'literal') {
      entries.push([key, source.value])
      continue
    }
    const found = selectAll(source.path, scope, jsonPath)
    if ('problem' in found) return found
    const [first, ...others] = found.values
    if (first !== undefined) entries.push([key, others.length === 0 ? first : found.values])
  }
  // Not by assignment: `__proto__` is a key like any other.
  return { value: Object.fromEntries(entries) }
}

export function selectAll(
  path: string,
  scope: JsonObject,
  jsonPath: JsonPath,
): { readonly values: readonly Json[] } | Problem {
  const found = jsonPath.select(path, scope)
  return 'values' in found ? found : { problem: `the path \`${path}\` ${found.problem.message}` }
}
