import type { JsonSchema } from '../model/index.ts'
import { anyObject, bool, list, object, type Shape, text } from './shape.ts'
import { schema } from './shorthand.ts'

/** The `mcp` key of tool.yaml and of sidecars. */
export const MCP_SECTION = object('What clients see', {
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
  input_schema: objectSchema('Arguments: JSON Schema, or short as path: string'),
  output_schema: schema('What it prints as JSON: JSON Schema, or short as path: string'),
})

/** The arguments of a call are always a map. */
function objectSchema(about: string): Shape<JsonSchema> {
  const shape = schema(about)
  return {
    ...shape,
    read(value, path, issues) {
      const read = shape.read(value, path, issues)
      if (read?.type === undefined || read.type === 'object') return read
      issues.push({
        path: [...path, 'type'],
        message: `must be object, because the arguments of a call are a map, not ${JSON.stringify(read.type)}`,
      })
      return undefined
    },
  }
}
