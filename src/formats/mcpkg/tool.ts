import type { Candidate, Command, McpkgManifest, PackageFacts, Run, Tool } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { declaredVariables } from '../declared-variables.ts'
import { normalInnerPath } from '../inner-path.ts'
import { packageFacts, WRITES_NOTHING } from '../package-tool.ts'
import { mcpkgAsManifest } from './as-manifest.ts'
import type { Fitting } from './choose-implementations.ts'
import { commandFiles } from './command-files.ts'

export interface McpkgPlace {
  readonly folder: string
  readonly scope: 'project' | 'global'
  /** Changes whenever the package does. */
  readonly digest: string
  /** Of an installed copy. */
  readonly receipt?: PackageFacts['receipt']
}

/** An .mcpkg as the one tool it is. Without a chain, what fits this machine carries it out, the first choice first. */
export function mcpkgTool(manifest: McpkgManifest, place: McpkgPlace, fitting: readonly Fitting[]): Tool {
  const { folder, scope } = place
  const chosen = fitting.map(({ implementation, words }) => [implementation.id, ...(words ?? [])])
  return {
    name: manifest.toolId,
    title: manifest.name,
    version: manifest.version,
    description: manifest.description,
    inputSchema: manifest.inputSchema,
    outputSchema: manifest.outputSchema,
    origin: {
      kind: 'package',
      file: `${folder}/manifest.json`,
      folder,
      scope,
      package: packageFacts(mcpkgAsManifest(manifest), place.receipt),
    },
    run: runOf(manifest, place, fitting),
    // What is installed beside it may change which one is chosen.
    digest: `${place.digest}:${JSON.stringify(chosen)}`,
  }
}

function runOf(manifest: McpkgManifest, place: McpkgPlace, fitting: readonly Fitting[]): Run {
  if (manifest.chain !== undefined) return { kind: 'chain', steps: manifest.chain }
  return { kind: 'implementations', candidates: fitting.map((one) => candidateOf(one, manifest, place)) }
}

function candidateOf(fitting: Fitting, manifest: McpkgManifest, place: McpkgPlace): Candidate {
  const { id, endpoint } = fitting.implementation
  const { timeoutMs } = endpoint
  if (endpoint.type === 'http') {
    return compact<Candidate>({ id, kind: 'http', endpoint, auth: manifest.auth, timeoutMs })
  }
  const command = commandOf(fitting.words ?? endpoint.words, manifest, place)
  return compact<Candidate>({ id, kind: 'local', command, timeoutMs })
}

/** It runs in its own folder, where the files its words name are. */
function commandOf(
  words: readonly string[],
  manifest: McpkgManifest,
  { folder, receipt }: McpkgPlace,
): Command {
  const [first = '', ...args] = words
  const [own] = commandFiles(words).needed
  const isOwn = first.includes('/') && !first.startsWith('/')
  const file = isOwn ? `${folder}/${normalInnerPath(first)}` : first
  return {
    file,
    args,
    cwd: folder,
    ...(receipt === undefined ? {} : { env: WRITES_NOTHING }),
    ...declaredVariables(manifest.permissions),
    script: own === undefined ? file : `${folder}/${own}`,
  }
}
