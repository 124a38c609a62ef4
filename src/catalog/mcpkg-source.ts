import { hasErrors, loadJsonPath, readMcpkgManifest, type SchemaKit } from '../formats/index.ts'
import type { McpkgManifest, Problem } from '../model/index.ts'

/** Loads what judges JSON Schemas, when the first one has to be judged. */
export type LoadSchemas = () => Promise<SchemaKit>

/**
 * manifest.json of a package folder. What was installed was judged then; of what someone put there both schemas are
 * judged now.
 */
export async function readMcpkgSource(
  text: string,
  file: string,
  loadSchemas: LoadSchemas | undefined,
): Promise<{ readonly mcpkg?: McpkgManifest; readonly problems: readonly Problem[] }> {
  const { manifest, problems, problemAt } = readMcpkgManifest(text, file, await loadJsonPath())
  if (manifest === undefined) return { problems: problems.filter(({ severity }) => severity === 'error') }
  if (loadSchemas === undefined) return { mcpkg: manifest, problems: [] }
  const schemas = await loadSchemas()
  const wrong = [
    ['input_schema', manifest.inputSchema],
    ['output_schema', manifest.outputSchema],
  ] as const
  const flaws = wrong.flatMap(([key, schema]) =>
    schemas.check(schema).map((reason) => problemAt([key], { message: `is not a JSON Schema: ${reason}` })),
  )
  return hasErrors(flaws) ? { problems: flaws } : { mcpkg: manifest, problems: [] }
}
