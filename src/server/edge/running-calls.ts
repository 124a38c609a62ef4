import { CallSignal } from './call-signal.ts'
import { createCrowd, type Standing } from './crowd.ts'

/** The calls of one client that run, to be ended when it takes them back or leaves. */
export interface RunningCalls {
  /** `onAborted`: nobody waits for the answer any more. */
  begin(id: string | number, onAborted: () => void): RunningCall
  /** The client took back what it asked under this id. */
  cancel(id: unknown): void
  abortAll(): void
}

export interface RunningCall {
  readonly signal: AbortSignal
  /** Does nothing once it has ended. */
  abort(): void
  end(): void
}

interface Entry extends RunningCall, Standing {
  readonly id: string | number
}

export function createRunningCalls(): RunningCalls {
  const running = createCrowd<Entry>()
  return {
    begin(id, onAborted) {
      const signal = new CallSignal()
      const entry: Entry = {
        id,
        signal,
        abort() {
          if (!running.has(entry) || signal.aborted) return
          signal.abort()
          onAborted()
        },
        end: () => running.leave(entry),
      }
      running.join(entry)
      return entry
    },
    cancel(id) {
      for (const entry of running.all()) if (entry.id === id) entry.abort()
    },
    abortAll() {
      for (const entry of running.all()) entry.abort()
    },
  }
}

/** The request that a message takes back, if that is what it does. */
export function cancelledId(message: unknown): string | number | undefined {
  if (!isObject(message) || message.method !== 'notifications/cancelled' || !isObject(message.params))
    return undefined
  const { requestId } = message.params
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
