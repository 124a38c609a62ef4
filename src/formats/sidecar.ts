import { anyObject, bool, duration, list, map, object, text, type ValueOf } from './shape.ts'
import { schema } from './shorthand.ts'

/** `NAME.tool.yaml` beside an executable: what its comment cannot say, or says differently. */
export const SIDECAR = object('What a loose tool is and how it is run', {
  description: text('What the tool does, for the model that chooses it', {
    pattern: /\S/,
    expected: 'some words',
  }),
  mcp: object('What clients see', {
    title: text('Name for people'),
    icons: list('Pictures for people, each with a src', anyObject('A picture')),
    annotations: object('Hints for clients about what a call does', {
      title: text('Name for people'),
      readOnlyHint: bool('It changes nothing'),
      destructiveHint: bool('It may delete or overwrite'),
      idempotentHint: bool('Calling it again changes nothing more'),
      openWorldHint: bool('It reaches beyond this machine'),
    }),
    _meta: anyObject('Passed to clients as it is'),
    input_schema: schema('Arguments: JSON Schema, or short as path: string'),
    output_schema: schema('What it prints as JSON: JSON Schema, or short as path: string'),
  }),
  runtime: object('How it is run', {
    env: map('Environment variables', text('Value')),
    args: list('Words before those of the call', text('Word')),
    timeout: duration('Time a call may take, in seconds or as 30s, 500ms'),
  }),
})

export type Sidecar = ValueOf<typeof SIDECAR>
