import type { Json } from '../../model/index.ts'
import type { HttpAnswer } from '../../platform/index.ts'

type Answer = Extract<HttpAnswer, { readonly kind: 'answer' }>

/**
 * What an answer says: JSON as JSON, any other text as a text. An answer without a body is its status, and to HEAD
 * also its headers, which are all it has.
 */
export function readAnswer(
  method: string,
  answer: Answer,
): { readonly value: Json } | { readonly problem: string } {
  const { status, body } = answer
  if (method === 'HEAD') return { value: { status, headers: plainHeaders(answer) } }
  if (body.length === 0) return { value: { status } }
  const type = mediaType(answer)
  const text = answerText(answer)
  if (text === undefined)
    return { problem: `answered with ${type || 'bytes'}, which is neither JSON nor text` }
  const parsed = parse(text)
  if (/^application\/(?:[^;]+\+)?json$/.test(type) || /^text\/json$/.test(type))
    return parsed ?? { problem: `answered with ${type} that is not JSON` }
  // `12` may be a text. A map or a list that calls itself one is not.
  const isStructured = parsed !== undefined && typeof parsed.value === 'object' && parsed.value !== null
  return parsed !== undefined && (isStructured || type === '') ? parsed : { value: text }
}

/** The body as text; undefined when it is none. */
export function answerText(answer: Answer): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(answer.headers['content-type'] ?? '')?.[1]
  try {
    // What was cut may end inside a character.
    return new TextDecoder(charset, { fatal: true }).decode(answer.body, { stream: answer.isCut })
  } catch {
    return undefined
  }
}

function mediaType({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function parse(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json } // JSON.parse yields nothing else
  } catch {
    return undefined
  }
}

/** Cookies are for the one who asked, and that is Orla. */
function plainHeaders({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && name !== 'set-cookie' ? [[name, value]] : [],
    ),
  )
}
