import {
  hasErrors,
  LIGHT_JSON_PATH,
  lightFirst,
  loadJsonPath,
  readMcpkgManifest,
  type SchemaJudges,
} from '../formats/index.ts'
import type { McpkgManifest, Problem } from '../model/index.ts'

/**
 * manifest.json of a package folder. What was installed was judged then; of what someone put there both schemas are
 * judged now.
 */
export async function readMcpkgSource(
  text: string,
  file: string,
  judges: SchemaJudges | undefined,
): Promise<{ readonly mcpkg?: McpkgManifest; readonly problems: readonly Problem[] }> {
  const { manifest, problems, problemAt } = await lightFirst(LIGHT_JSON_PATH, loadJsonPath, (jsonPath) =>
    readMcpkgManifest(text, file, jsonPath),
  )
  if (manifest === undefined) return { problems: problems.filter(({ severity }) => severity === 'error') }
  if (judges === undefined) return { mcpkg: manifest, problems: [] }
  const wrong = [
    ['input_schema', manifest.inputSchema],
    ['output_schema', manifest.outputSchema],
  ] as const
  const flaws = await lightFirst(judges.light, judges.load, (schemas) =>
    wrong.flatMap(([key, schema]) =>
      schemas.check(schema).map((reason) => problemAt([key], { message: `is not a JSON Schema: ${reason}` })),
    ),
  )
  return hasErrors(flaws) ? { problems: flaws } : { mcpkg: manifest, problems: [] }
}
