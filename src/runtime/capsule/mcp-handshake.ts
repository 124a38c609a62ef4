import { isJsonObject, type Json, type JsonObject, type OfferedTool } from '../../model/index.ts'
import type { Channel } from './channel.ts'
import { readOfferedTool } from './offered-tool.ts'

/** What went wrong, in words that follow the name of the capsule. */
export class HandshakeError extends Error {}

const PROTOCOL_VERSION = '2025-06-18'
/** A list that does not end is none. */
const MOST_PAGES = 100
const MOST_TOOLS = 10_000

/** What a server says it has. */
export interface ListedTools {
  readonly tools: readonly OfferedTool[]
  /** What it calls those that have no name a tool can have. */
  readonly nameless: readonly string[]
  /** The names of those it carries out as tasks only, which Orla does not ask for. */
  readonly tasksOnly: readonly string[]
}

/**
 * Introduces Orla to an MCP server as its client, and asks what it offers. Throws a `HandshakeError`. `onAsk` hears
 * what the server has to answer next.
 */
export async function shakeHands(
  channel: Channel,
  version: string,
  onAsk: (method: string) => void,
): Promise<ListedTools> {
  onAsk('initialize')
  const answer = await ask(channel, 'initialize', {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'orla', version },
  })
  if (!isJsonObject(answer) || typeof answer.protocolVersion !== 'string') {
    throw new HandshakeError('answered `initialize` with something that names no protocol version')
  }
  channel.notify('notifications/initialized')
  const { capabilities } = answer
  if (!isJsonObject(capabilities) || capabilities.tools === undefined)
    return { tools: [], nameless: [], tasksOnly: [] }
  onAsk('tools/list')
  return listTools(channel)
}

/** All pages. Throws a `HandshakeError`. */
export async function listTools(channel: Channel): Promise<ListedTools> {
  const tools: OfferedTool[] = []
  const nameless: string[] = []
  const tasksOnly: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES && tools.length < MOST_TOOLS; page++) {
    const answer = await ask(channel, 'tools/list', cursor === undefined ? {} : { cursor })
    if (!isJsonObject(answer) || !Array.isArray(answer.tools)) {
      throw new HandshakeError('answered `tools/list` with something that is no list of tools')
    }
    for (const entry of answer.tools) {
      const tool = readOfferedTool(entry)
      if (tool === undefined) note(nameless, nameOf(entry))
      else if (isTaskOnly(entry)) note(tasksOnly, tool.name)
      else tools.push(tool)
    }
    if (typeof answer.nextCursor !== 'string') break
    cursor = answer.nextCursor
  }
  return { tools: tools.slice(0, MOST_TOOLS), nameless, tasksOnly }
}

function note(names: string[], name: string): void {
  if (names.length < MOST_TOOLS) names.push(name)
}

function nameOf(entry: Json): string {
  return isJsonObject(entry) && typeof entry.name === 'string' ? entry.name : ''
}

function isTaskOnly(entry: Json): boolean {
  const execution = isJsonObject(entry) ? entry.execution : undefined
  return execution !== undefined && isJsonObject(execution) && execution.taskSupport === 'required'
}

function ask(channel: Channel, method: string, params: JsonObject): Promise<Json> {
  return new Promise((resolve, reject) => {
    channel.request(method, () => params, {
      onAnswer(answer) {
        switch (answer.kind) {
          case 'result':
            return resolve(answer.result)
          case 'error':
            return reject(new HandshakeError(`answered \`${method}\` with an error: ${answer.message}`))
          case 'too-long':
            return reject(new HandshakeError(`answered \`${method}\` with more than a message may hold`))
          case 'lost':
            return reject(new HandshakeError(`did not answer \`${method}\``))
        }
      },
    })
  })
}
