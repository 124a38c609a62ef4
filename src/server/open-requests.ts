import { isJsonObject, type Json } from '../model/index.ts'
import { cancelledId } from './edge/running-calls.ts'
import type { Pending } from './pending.ts'

/** What the SDK was asked and has not answered yet. */
export interface OpenRequests {
  onHanded(message: Json): void
  onAnswered(id: unknown): void
}

export function createOpenRequests(pending: Pending): OpenRequests {
  /** A client may use an id twice at once, and has two answers then. */
  const open = new Map<unknown, number>()

  function end(id: unknown): void {
    const count = open.get(id)
    if (count === undefined) return
    if (count === 1) open.delete(id)
    else open.set(id, count - 1)
    pending.end()
  }

  return {
    onHanded(message) {
      if (!isJsonObject(message)) return
      const { id, method } = message
      // What was taken back has no answer.
      const cancelled = cancelledId(message)
      if (cancelled !== undefined) end(cancelled)
      if (id === undefined || method === undefined || method === STANDING) return
      open.set(id, (open.get(id) ?? 0) + 1)
      pending.begin()
    },
    onAnswered: end,
  }
}

/** It is answered when the connection ends. */
const STANDING = 'subscriptions/listen'
