import type { Leave } from '../queue.ts'

/**
 * Where the steps of one chain run: on the place in the queue that the chain has, and beside it on further ones
 * as they become free. The chain gets on without those, so it never waits for somebody who waits for it.
 */
export interface Places {
  take(signal: AbortSignal): Promise<Leave | 'cancelled'>
}

export function createPlaces(enter: (signal: AbortSignal) => Promise<Leave | 'cancelled'>): Places {
  const waiting = new Set<() => void>()
  let isOwnFree = true

  function leaveOwn(): void {
    const [next] = waiting
    if (next === undefined) isOwnFree = true
    else next()
  }

  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve('cancelled')
      if (isOwnFree) {
        isOwnFree = false
        return Promise.resolve(leaveOwn)
      }
      return new Promise((resolve, reject) => {
        const stop = new AbortController()
        const takeOwn = () => {
          settle()
          resolve(leaveOwn)
        }
        const settle = () => {
          waiting.delete(takeOwn)
          signal.removeEventListener('abort', giveUp)
          stop.abort()
        }
        const giveUp = () => {
          settle()
          resolve('cancelled')
        }
        waiting.add(takeOwn)
        signal.addEventListener('abort', giveUp, { once: true })
        enter(stop.signal).then((leave) => {
          if (leave === 'cancelled') return
          if (!waiting.has(takeOwn)) return leave()
          settle()
          resolve(leave)
        }, reject)
      })
    },
  }
}
