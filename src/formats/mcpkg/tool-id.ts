import { isToolName, oneLine } from '../../model/index.ts'
import type { Flaw } from '../shape.ts'

export const TOOL_ID = /^(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/

/** Why a text cannot be a toolId; undefined when it can. It becomes a folder and a word of a command line. */
export function checkToolId(id: string): Flaw | undefined {
  if (TOOL_ID.test(id) && isToolName(id)) return undefined
  if (id.length > 128) return { message: 'must not be longer than 128 characters' }
  const shown = JSON.stringify(oneLine(id))
  const message = `cannot be ${shown}: an id has two or more parts of lower-case letters, digits, _ and -, joined by dots`
  const better = id
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '_')
    .replace(/^[.-]+|\.+$/g, '')
    .replace(/\.{2,}/g, '.')
  if (TOOL_ID.test(better)) return { message, hint: `for example ${better}` }
  return { message, hint: 'for example acme.crm.search_customers' }
}

/** Publisher, domain and name at least (MCPKG §3). Only a convention: `demo.echo` is an id too. */
export function isConventional(id: string): boolean {
  return id.split('.').length >= 3
}
