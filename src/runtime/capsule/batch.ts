import { isJsonObject, type Json } from '../../model/index.ts'
import type { Noise } from './channel.ts'
import { type Message, messageOf } from './message.ts'

interface BatchListener {
  /** What is wrong with it, if something is. */
  readonly onMessage: (message: Message) => Noise | undefined
  /** An answer that cannot be used: false when nobody waits for it. */
  readonly onWrongAnswer: (id: Json, words: string) => boolean
}

/** They are heard in one go, and nothing else is meanwhile. */
const MOST_MESSAGES = 1_000

/** Takes several messages on one line apart. A batch inside another is no message. Returns what is to be told of it. */
export function hearBatch(
  values: readonly Json[],
  { onMessage, onWrongAnswer }: BatchListener,
): Noise | undefined {
  const isTooLong = values.length > MOST_MESSAGES
  const words = isTooLong
    ? `it answered in a batch of ${values.length} messages, more than the ${MOST_MESSAGES} it may hold`
    : NO_ANSWER_WORDS
  const noises = new Set<Noise | undefined>(isTooLong ? ['more messages than a batch may hold'] : [])
  const fails = (value: Json, words: string) =>
    isJsonObject(value) && value.method === undefined && onWrongAnswer(value.id ?? null, words)
  for (const value of values) {
    const message = isTooLong ? undefined : messageOf(value)
    if (message !== undefined) noises.add(onMessage(message))
    else if (!fails(value, words)) noises.add('no message')
  }
  return [...noises].find((noise) => noise !== undefined)
}

export const NO_ANSWER_WORDS = 'it answered with something that is no JSON-RPC'
