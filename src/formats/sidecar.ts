import { MCP_SECTION } from './mcp-section.ts'
import { duration, list, map, object, text, type ValueOf, words } from './shape.ts'

/** `NAME.tool.yaml` beside an executable: what its comment cannot say, or says differently. */
export const SIDECAR = object('What a loose tool is and how it is run', {
  description: words('What the tool does, for the model that chooses it'),
  mcp: MCP_SECTION,
  runtime: object('How it is run', {
    env: map('Environment variables', text('Value')),
    args: list('Words before those of the call', text('Word')),
    timeout: duration('Time a call may take, in seconds or as 30s, 500ms'),
  }),
})

export type Sidecar = ValueOf<typeof SIDECAR>
