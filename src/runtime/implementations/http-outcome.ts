import type { HttpRequest } from '../../formats/index.ts'
import { NO_TEXT, oneLine } from '../../model/index.ts'
import type { HttpAnswer } from '../../platform/index.ts'
import { type Outcome, refuse } from '../executor.ts'
import { sizeWords } from '../measure-words.ts'
import { answerText, readAnswer } from './read-answer.ts'

const MAX_EXCERPT = 300

/** What an answer means for the call. */
export function outcomeOfAnswer(
  name: string,
  request: HttpRequest,
  answer: HttpAnswer,
  outputBytes: number,
  hide: (text: string) => string,
): Outcome {
  const { origin, pathname } = new URL(request.url)
  const place = `${request.method} ${origin}${pathname}`
  const sent = Buffer.byteLength(request.body ?? '')
  switch (answer.kind) {
    case 'cancelled':
      return refuse('cancelled', `\`${name}\` was cancelled`)
    case 'refused':
      return refuse('spawn', `\`${name}\` cannot start: ${place} is not sent: ${answer.message}`)
    case 'unreachable':
      return refuse('spawn', `\`${name}\` cannot start: ${answer.message}`)
    case 'broken':
      return { ...refuse('crashed', `\`${name}\` gave no answer: ${answer.message}`), bytesIn: sent }
    case 'answer':
      return {
        result: resultOf(name, place, request.method, answer, outputBytes, hide),
        exitCode: null,
        bytesIn: sent,
        bytesOut: answer.body.length,
      }
  }
}

type Answer = Extract<HttpAnswer, { readonly kind: 'answer' }>

function resultOf(
  name: string,
  place: string,
  method: string,
  answer: Answer,
  outputBytes: number,
  hide: (text: string) => string,
): Outcome['result'] {
  const { status, isCut } = answer
  if (status >= 300) return statusFailure(name, place, answer, hide)
  if (isCut) {
    const message = `\`${name}\` answered with more than ${sizeWords(outputBytes)}; the first ${sizeWords(answer.body.length)} are kept`
    return { ok: false, reason: 'limit', message, output: blocks(answerText(answer) ?? '') }
  }
  const read = readAnswer(method, answer)
  if ('value' in read) return { ok: true, output: { kind: 'value', value: read.value, stderr: NO_TEXT } }
  const output = blocks(answerText(answer) ?? '')
  return { ok: false, reason: 'output', message: `\`${name}\` ${read.problem}`, output }
}

function statusFailure(
  name: string,
  place: string,
  answer: Answer,
  hide: (text: string) => string,
): Outcome['result'] {
  // Before anything is cut off.
  const text = hide(answerText(answer)?.trim() ?? '')
  const said = `\`${name}\` failed: ${place} answered ${answer.status}`
  const short = oneLine(text.slice(0, MAX_EXCERPT))
  const excerpt = text.length > MAX_EXCERPT ? `${short}…` : short
  // What a tool itself says about its failure stands for the message, so the status is part of it.
  const output = blocks(said, text.slice(0, MAX_KEPT))
  return { ok: false, reason: 'exit', message: excerpt === '' ? said : `${said}: ${excerpt}`, output }
}

const MAX_KEPT = 64 * 1024

function blocks(...texts: readonly string[]) {
  const content = texts.filter((text) => text !== '').map((text) => ({ type: 'text', text }))
  return { kind: 'content', content } as const
}
