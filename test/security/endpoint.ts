import { type Finished, makeProject } from '../stories/project.ts'

/** A tool of this project that is an endpoint somewhere. */
export function endpointFiles(
  url: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  const { timeoutMs = 5_000, ...keys } = more
  const manifest = {
    toolId: 'acme.ask',
    name: 'Asks',
    version: '1.0.0',
    description: 'Asks someone.',
    capabilities: [],
    implementations: [{ id: 'http', endpoint: { type: 'http', method: 'POST', url, timeoutMs } }],
    input_schema: { type: 'object' },
    output_schema: {},
    ...keys,
  }
  return { 'orla.yaml': '', 'tools/ask/manifest.json': JSON.stringify(manifest) }
}

/** Calls it from a project of its own. */
export function callEndpoint(
  url: string,
  env: Readonly<Record<string, string>> = {},
  timeoutMs = 5_000,
): Promise<Finished> {
  return makeProject(endpointFiles(url, { timeoutMs })).orla(['call', 'acme.ask', '{}'], { env })
}
