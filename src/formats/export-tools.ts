import { type Json, type JsonObject, type JsonSchema, OPEN_INPUT, type Tool } from '../model/index.ts'
import { compact } from './compact.ts'
import { safeNames } from './export-names.ts'
import { objectSchema, toWireTool } from './wire-tool.ts'

/** A tool with what a model should read about it. */
export interface ExportedTool {
  readonly tool: Tool
  /** What clients of a server call it. */
  readonly name: string
  readonly description: string
}

const FORMATS = {
  mcp: toMcp,
  openai: toOpenai,
  anthropic: toAnthropic,
  'json-schema': toJsonSchema,
} as const satisfies Record<string, (tools: readonly ExportedTool[]) => Json>

export type ExportFormat = keyof typeof FORMATS

export const EXPORT_FORMATS = Object.keys(FORMATS) as readonly ExportFormat[] // Object.keys forgets their type

/** tools.json for whoever calls a model. The same tools always give the same text. */
export function exportTools(tools: readonly ExportedTool[], format: ExportFormat): string {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1))
  return `${JSON.stringify(FORMATS[format](sorted), null, 2)}\n`
}

/** As a server answers `tools/list` of a client of the newest protocol, name by name. */
function toMcp(tools: readonly ExportedTool[]): Json {
  return {
    tools: tools.map(({ tool, name, description }) => ({ ...toWireTool(tool, name, description) })),
  }
}

function toOpenai(tools: readonly ExportedTool[]): Json {
  return withSafeNames(tools).map(({ name, tool, description }) => ({
    type: 'function',
    function: { name, description, parameters: withoutDraft(inputOf(tool)) },
  }))
}

function toAnthropic(tools: readonly ExportedTool[]): Json {
  return withSafeNames(tools).map(({ name, tool, description }) => ({
    name,
    description,
    input_schema: withoutDraft(inputOf(tool)),
  }))
}

/** One schema that every call of one of the tools fits, for models that are held to a schema. */
function toJsonSchema(tools: readonly ExportedTool[]): Json {
  const calls = tools.map(({ tool, description }): readonly [string, Json] => [
    tool.name,
    compact<JsonObject>({
      title: tool.title ?? tool.name,
      description,
      type: 'object',
      properties: { name: { const: tool.name }, arguments: embedded(inputOf(tool), tool.name) },
      required: ['name', 'arguments'],
      additionalProperties: false,
      output_schema: tool.outputSchema,
    }),
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A call of one of the tools',
    oneOf: calls.map(([name]) => ({ $ref: `#/$defs/${name}` })),
    $defs: Object.fromEntries(calls),
  }
}

function withSafeNames(tools: readonly ExportedTool[]): readonly ExportedTool[] {
  const names = safeNames(tools.map(({ tool }) => tool.name))
  return tools.map((one) => ({ ...one, name: names.get(one.tool.name) ?? one.tool.name }))
}

/** The APIs want an object, and say so. */
function inputOf({ inputSchema = OPEN_INPUT }: Tool): JsonSchema {
  return objectSchema(inputSchema)
}

function withoutDraft({ $schema: _named, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** With an identity of its own, `#/…` inside it still means itself. */
function embedded(schema: JsonSchema, name: string): JsonSchema {
  return schema.$id === undefined ? { $id: `urn:orla:tool:${name}`, ...schema } : schema
}
