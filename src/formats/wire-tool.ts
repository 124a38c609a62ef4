import { type JsonObject, type JsonSchema, OPEN_INPUT, type Tool } from '../model/index.ts'

/** A tool as `tools/list` names it. */
export interface WireTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: JsonObject
  readonly icons?: readonly JsonObject[]
  readonly _meta?: JsonObject
}

export function toWireTool(tool: Tool, name: string, description: string): WireTool {
  const annotations = tool.annotations && soundAnnotations(tool.annotations)
  const icons = tool.icons?.filter((icon) => typeof icon.src === 'string')
  return {
    name,
    ...(tool.title !== undefined && { title: tool.title }),
    description,
    inputSchema: objectSchema(tool.inputSchema ?? OPEN_INPUT),
    ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
    ...(annotations && { annotations }),
    ...(icons?.length && { icons }),
    ...(tool.meta && { _meta: tool.meta }),
  }
}

/** The same as JSON, of a tool that is described as it says itself unless something else is given. */
export function wireToolJson(tool: Tool, name: string, description?: string): string {
  const { written } = tool
  if (written === undefined) return JSON.stringify(toWireTool(tool, name, description ?? tool.description))
  const { title, inputSchema } = written
  const isAsWritten = description === undefined && written.description !== ''
  const told = isAsWritten ? written.description : JSON.stringify(description ?? tool.description)
  const titled = title === '' ? '' : `,"title":${title}`
  const input = inputSchema === '' ? OPEN_INPUT_JSON : inputSchema
  return `{"name":${JSON.stringify(name)}${titled},"description":${told},"inputSchema":${input}}`
}

const OPEN_INPUT_JSON = JSON.stringify(OPEN_INPUT)

/** Clients and APIs take a list as a whole: one odd schema or annotation would hide every tool. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  return schema.type === 'object' ? schema : { ...schema, type: 'object' }
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

function soundAnnotations(annotations: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key, value]) => {
      if (key === 'title') return typeof value === 'string'
      return !HINTS.includes(key) || typeof value === 'boolean'
    }),
  )
}
