import type { CallResult, JsonObject, Output } from '../model/index.ts'
import { jsonPrefix } from './json-size.ts'
import type { WireResult } from './result.ts'
import { soundBlock } from './sound-block.ts'

type Content = Extract<Output, { kind: 'content' }>

/**
 * A result in the protocol's own shape, as a capsule gave it; then, as long as it is too much for one message,
 * without what repeats itself, and with as many of its blocks as there is room for.
 */
export function* contentResults(
  result: CallResult,
  output: Content,
  promised: boolean,
  maxBytes: number,
): Iterable<WireResult> {
  const sound = output.content.map(soundBlock)
  const blocks = result.ok ? sound : [...explanation(result, output), ...sound]
  const meta = metaOf(result, output)
  const failed = result.ok ? {} : { isError: true as const }
  // Clients hold structured content against the schema, even that of a failure.
  const keepsStructured = output.structured !== undefined && (result.ok || !promised)
  const structured = keepsStructured ? { structuredContent: output.structured } : {}
  const rest = { ...failed, ...(meta && { _meta: meta }) }

  yield { content: blocks, ...structured, ...rest }
  if (promised && keepsStructured) {
    const note = 'The text of the structured content was left out: both together are too much for one message'
    yield { content: [text(note)], ...structured, ...rest }
    return
  }
  const room = maxBytes - Buffer.byteLength(JSON.stringify(rest)) - 400
  yield { content: [...fitting(blocks, room), text(leftOut(keepsStructured))], ...rest }
}

function leftOut(hadStructured: boolean): string {
  return hadStructured
    ? 'The structured content was left out, and of the content what does not fit one message'
    : 'What does not fit one message was left out of the content'
}

/** Blocks as they come while there is room; a text that has some of it is cut. */
function fitting(blocks: readonly JsonObject[], room: number): JsonObject[] {
  const kept: JsonObject[] = []
  let left = room
  for (const block of blocks) {
    const bytes = Buffer.byteLength(JSON.stringify(block)) + 1
    if (bytes <= left) {
      kept.push(block)
      left -= bytes
      continue
    }
    if (block.type === 'text' && typeof block.text === 'string') {
      const overhead = Buffer.byteLength(JSON.stringify({ ...block, text: '' })) + 1
      if (left > overhead)
        kept.push({ ...block, text: block.text.slice(0, jsonPrefix(block.text, left - overhead)) })
    }
    return kept
  }
  return kept
}

/** What went wrong, unless the capsule said so itself. */
function explanation(result: CallResult, { content }: Content): JsonObject[] {
  if (result.ok || (result.reason === 'exit' && content.length > 0)) return []
  return [text(result.message)]
}

function metaOf(result: CallResult, { meta }: Content): JsonObject | undefined {
  if (result.ok && meta === undefined) return undefined
  // These keys speak for the server a client is connected to, and that is not the capsule.
  const own = Object.entries(meta ?? {}).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))
  const reason = result.ok ? [] : [['orla/reason', result.reason] as const]
  if (own.length + reason.length === 0) return undefined
  return Object.fromEntries([...own, ...reason])
}

function text(words: string): JsonObject {
  return { type: 'text', text: words }
}
