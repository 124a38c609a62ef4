import type { McpkgManifest } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { hiddenProblems } from '../hidden-problems.ts'
import { innerPaths } from '../inner-path.ts'
import { readJson } from '../json.ts'
import type { JsonPath } from '../jsonpath.ts'
import { encodingProblems } from '../manifest.ts'
import { hasErrors, type PlacedProblem, type Reading, refuse } from '../placed.ts'
import { NO_AUTH } from './auth.ts'
import { isChainStep } from './chain.ts'
import { checkChain } from './chain-references.ts'
import { isImplementation } from './implementation.ts'
import { MCPKG, type McpkgFile } from './manifest-shape.ts'

/** Schemas may be long; nothing else is. */
const MAX_CHARACTERS = 1_048_576

export interface McpkgReading {
  /** Absent when one of the problems is an error. */
  readonly manifest?: McpkgManifest
  readonly problems: readonly PlacedProblem[]
  /** What could be read of it, so that everything wrong with the files can be told at once. */
  readonly value: McpkgFile
  /** A problem that shows only beside the other files, at the place that says so. */
  readonly problemAt: Reading<unknown>['problemAt']
}

/** manifest.json of an .mcpkg, with every problem. Whether its files are there is for `checkMcpkgFiles`. */
export function readMcpkgManifest(source: string, file: string, jsonPath: JsonPath): McpkgReading {
  const reading =
    source.length > MAX_CHARACTERS
      ? refuse(file, [{ message: 'is larger than 1 MiB' }])
      : readJson(source, file, MCPKG)
  const { problemAt } = reading
  const value: McpkgFile = reading.value ?? {}
  const problems = [
    ...encodingProblems(source, reading),
    ...reading.problems,
    ...hiddenProblems(value, problemAt),
  ]
  const inChain = value.chain === undefined ? [] : checkChain(value.chain, jsonPath)
  problems.push(...inChain.map(({ path, ...flaw }) => problemAt(path, flaw)))
  const manifest = hasErrors(problems) ? undefined : toManifest(value)
  return compact<McpkgReading>({ manifest, problems, value, problemAt })
}

/** undefined when something that must be there is not; a problem says so then. */
function toManifest(file: McpkgFile): McpkgManifest | undefined {
  const { toolId, name, version, description, capabilities, endpoint, chain, meta } = file
  if (toolId === undefined || name === undefined || version === undefined) return undefined
  if (description === undefined || capabilities === undefined) return undefined
  if (file.input_schema === undefined || file.output_schema === undefined) return undefined
  return compact<McpkgManifest>({
    toolId,
    name: name.trim(),
    version,
    description: description.trim(),
    capabilities,
    inputSchema: file.input_schema,
    outputSchema: file.output_schema,
    endpoint,
    auth: file.auth ?? NO_AUTH,
    tests: innerPaths(file.tests),
    examples: innerPaths(file.examples),
    implementations: (file.implementations ?? []).filter(isImplementation),
    chain: chain?.filter(isChainStep),
    permissions: file.permissions ?? null,
    meta: compact<McpkgManifest['meta']>({
      publisher: meta?.publisher,
      license: meta?.license,
      homepage: meta?.homepage,
      tags: meta?.tags ?? [],
    }),
  })
}
