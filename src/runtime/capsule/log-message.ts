import type { Json, JsonObject } from '../../model/index.ts'

export const LOG_MESSAGE = 'notifications/message'

/** What MCP's log notification says, in a line: how grave, from which part, and the words or the value itself. */
export function logMessageWords({ level, logger, data }: JsonObject): string {
  const from = [level, logger].filter((word): word is string => typeof word === 'string' && word !== '')
  return `${from.join(' ') || 'log'}: ${textOf(data)}`
}

function textOf(data: Json | undefined): string {
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
}
