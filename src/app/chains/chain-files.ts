import type { JsonObject, JsonSchema } from '../../model/index.ts'

/** A chain package that is about to be written. */
export interface ChainPackage {
  readonly toolId: string
  readonly version: string
  readonly description: string
  readonly steps: readonly {
    readonly step: string
    readonly tool: string
    readonly inputMapping: JsonObject
  }[]
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly meta: JsonObject
  /** Behind its description. */
  readonly readme: string
}

export function chainFiles(chain: ChainPackage): Record<string, string> {
  const { toolId, version, description, steps } = chain
  const manifest = {
    toolId,
    name: steps.map(({ step }) => step.replaceAll('_', ' ')).join(', then '),
    version,
    description,
    capabilities: ['chain'],
    chain: steps,
    input_schema: chain.inputSchema,
    output_schema: chain.outputSchema,
    meta: chain.meta,
  }
  return {
    'manifest.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': `# ${toolId}\n\n${description}\n\n${chain.readme}\n\n${USE}`,
    '.gitignore': '*.mcpkg\n',
  }
}

const USE = `\`\`\`sh
orla install --local . --link   # serve it from here
orla pack .                     # make the .mcpkg
\`\`\`
`
