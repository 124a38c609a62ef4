import { createLine, type Line, type Place } from './line.ts'

/** Lets a limited number of calls run at once. Connections take turns, however many calls each has waiting. */
export interface Queue {
  /** Resolves to a function that gives the place back, or to `cancelled` when the signal came first. */
  enter(connection: string, signal: AbortSignal): Promise<Leave | 'cancelled'>
  /** The same at once, if there is a place and nobody waits for it. */
  enterNow(signal: AbortSignal): Leave | undefined
}

export type Leave = () => void

/** `cap` is asked whenever a call comes or goes, so a new setting takes effect with the next one. */
export function createQueue(cap: () => number): Queue {
  const turns = createLine<Connection>()
  const waiting = new Map<string, Place<Connection>>()
  let running = 0

  function admit(): void {
    for (let turn = turns.first(); turn !== undefined && running < Math.max(1, cap()); turn = turns.first()) {
      const { calls, name } = turn.value
      const call = calls.first()
      turns.leave(turn)
      waiting.delete(name)
      if (call === undefined) continue
      calls.leave(call)
      if (calls.first() !== undefined) waiting.set(name, turns.join(turn.value))
      running++
      call.value()
    }
  }

  function leaveOnce(): Leave {
    let left = false
    return () => {
      if (left) return
      left = true
      running--
      admit()
    }
  }

  function join(connection: string, start: () => void): () => void {
    let turn = waiting.get(connection)
    if (turn === undefined) {
      turn = turns.join({ name: connection, calls: createLine() })
      waiting.set(connection, turn)
    }
    const { calls } = turn.value
    const place = calls.join(start)
    return () => calls.leave(place)
  }

  function enterNow(signal: AbortSignal): Leave | undefined {
    if (signal.aborted || turns.first() !== undefined || running >= Math.max(1, cap())) return undefined
    running++
    return leaveOnce()
  }

  return {
    enterNow,
    enter(connection, signal) {
      if (signal.aborted) return Promise.resolve('cancelled')
      const leave = enterNow(signal)
      if (leave !== undefined) return Promise.resolve(leave)
      return new Promise((resolve) => {
        const giveUp = () => {
          drop()
          resolve('cancelled')
        }
        const drop = join(connection, () => {
          signal.removeEventListener('abort', giveUp)
          resolve(leaveOnce())
        })
        signal.addEventListener('abort', giveUp, { once: true })
        admit()
      })
    },
  }
}

/** A connection keeps its turn while it has calls waiting; one whose calls were all cancelled is passed over. */
interface Connection {
  readonly name: string
  readonly calls: Line<() => void>
}
