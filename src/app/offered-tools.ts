import { join } from 'node:path'
import { offeredDifferences } from '../formats/index.ts'
import {
  type Capsule,
  isJsonObject,
  isToolName,
  type OfferedTool,
  type Problem,
  sha256,
} from '../model/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../platform/index.ts'

/** What the MCP servers in capsules said they offer, so that their tools can be listed before they run. */
export interface OfferedTools {
  /** What may be served of it; undefined as long as nobody has asked it. */
  of(capsule: Capsule): readonly OfferedTool[] | undefined
  /** True when it is not what was known. */
  learn(capsule: Capsule, tools: readonly OfferedTool[]): boolean
  /** Of an installed server, the tools that say something else than when they were accepted, and new ones. */
  withheld(capsule: Capsule): readonly Problem[]
  /** What it offers now is what is accepted; the names of the tools that were withheld. */
  accept(capsule: Capsule): readonly string[]
}

/**
 * What was said last is kept in the cache: what is lost there is asked for again. What was accepted of an installed
 * server, which is what it said first, is kept for good.
 */
export function openOfferedTools(home: string): OfferedTools {
  const said = openLists(join(home, 'cache', 'offered'))
  const accepted = openLists(join(home, 'state', 'accepted'))

  function differences(capsule: Capsule) {
    if (capsule.pinned === undefined) return []
    const [before, now] = [accepted.read(capsule), said.read(capsule)]
    return before === undefined || now === undefined ? [] : offeredDifferences(before, now)
  }

  return {
    of(capsule) {
      const held = new Set(differences(capsule).map(({ tool }) => tool))
      const tools = said.read(capsule) ?? (capsule.pinned && accepted.read(capsule))
      return held.size === 0 ? tools : tools?.filter(({ name }) => !held.has(name))
    },
    learn(capsule, tools) {
      if (capsule.pinned !== undefined && accepted.read(capsule) === undefined) accepted.write(capsule, tools)
      return said.write(capsule, tools)
    },
    withheld(capsule) {
      return differences(capsule).map(({ tool, what }) => ({
        file: capsule.command.script,
        message: `is not served: \`${tool}\` ${what} since version ${capsule.version} of \`${capsule.name}\` was accepted`,
        hint: `\`orla trust definitions ${capsule.name}\` accepts it`,
        tool: `${capsule.name}.${tool}`,
      }))
    },
    accept(capsule) {
      const held = differences(capsule).map(({ tool }) => `${capsule.name}.${tool}`)
      const now = said.read(capsule)
      if (held.length > 0 && now !== undefined) accepted.write(capsule, now)
      return held
    },
  }
}

/** Lists of tools in a folder, a file for each capsule. */
function openLists(folder: string) {
  const known = new Map<string, { readonly text: string; readonly tools: readonly OfferedTool[] }>()
  const fileOf = ({ identity }: Capsule) => join(folder, `${sha256(identity).slice(0, 32)}.json`)
  return {
    read(capsule: Capsule): readonly OfferedTool[] | undefined {
      const text = readTextIfThere(fileOf(capsule))
      const before = known.get(capsule.identity)
      if (text === undefined || before?.text === text) return before?.tools
      const tools = parse(text)
      if (tools !== undefined) known.set(capsule.identity, { text, tools })
      return tools
    },
    /** True when it is not what was there. */
    write(capsule: Capsule, tools: readonly OfferedTool[]): boolean {
      const text = `${JSON.stringify(tools)}\n`
      const file = fileOf(capsule)
      const isNew = known.get(capsule.identity)?.text !== text && readTextIfThere(file) !== text
      known.set(capsule.identity, { text, tools })
      if (!isNew) return false
      try {
        makeFolder(folder)
        writeFileAtomic(file, text, 0o600)
      } catch {
        // A read-only home: this server knows, the next one asks again.
      }
      return true
    },
  }
}

/** Written by `write`, but the file lies where anyone may have been. */
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
