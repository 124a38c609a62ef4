import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Capsule, isJsonObject, isToolName, type OfferedTool } from '../model/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../platform/index.ts'

/** What the MCP servers in capsules said they offer, so that their tools can be listed before they run. */
export interface OfferedTools {
  /** Undefined as long as nobody has asked it. */
  of(capsule: Capsule): readonly OfferedTool[] | undefined
  /** True when it is not what was known. */
  learn(capsule: Capsule, tools: readonly OfferedTool[]): boolean
}

/** Kept in the cache: what is lost there is asked for again. */
export function openOfferedTools(home: string): OfferedTools {
  const known = new Map<string, { readonly text: string; readonly tools: readonly OfferedTool[] }>()
  const fileOf = ({ identity }: Capsule) =>
    join(home, 'cache', 'offered', `${createHash('sha256').update(identity).digest('hex').slice(0, 32)}.json`)
  return {
    of(capsule) {
      const text = readTextIfThere(fileOf(capsule))
      if (text === undefined) return known.get(capsule.identity)?.tools
      const before = known.get(capsule.identity)
      if (before?.text === text) return before.tools
      const tools = parse(text)
      if (tools !== undefined) known.set(capsule.identity, { text, tools })
      return tools
    },
    learn(capsule, tools) {
      const text = `${JSON.stringify(tools)}\n`
      const file = fileOf(capsule)
      const isNew = known.get(capsule.identity)?.text !== text && readTextIfThere(file) !== text
      known.set(capsule.identity, { text, tools })
      if (!isNew) return false
      try {
        makeFolder(join(home, 'cache', 'offered'))
        writeFileAtomic(file, text, 0o600)
      } catch {
        // A read-only home: this server knows, the next one asks again.
      }
      return true
    },
  }
}

/** Written by `learn`, but the file lies where anyone may have been. */
function isOffered(tool: unknown): tool is OfferedTool {
  return isJsonObject(tool) && typeof tool.name === 'string' && isToolName(tool.name)
}

function parse(text: string): readonly OfferedTool[] | undefined {
  try {
    const tools: unknown = JSON.parse(text)
    return Array.isArray(tools) && tools.every(isOffered) ? tools : undefined
  } catch {
    return undefined
  }
}
