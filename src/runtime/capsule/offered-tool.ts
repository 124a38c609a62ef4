import { isJsonObject, isToolName, type Json, type JsonObject, type OfferedTool } from '../../model/index.ts'

/** One entry of a tool list, as far as it can be used; undefined when it has no usable name. */
export function readOfferedTool(entry: Json): OfferedTool | undefined {
  if (!isJsonObject(entry)) return undefined
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta: meta } = entry
  if (typeof name !== 'string' || !isToolName(name)) return undefined
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(isJsonObject(inputSchema) && { inputSchema }),
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
    ...(isListOfObjects(icons) && { icons }),
    ...(isJsonObject(meta) && { meta }),
  }
}

function isListOfObjects(value: Json | undefined): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject)
}
