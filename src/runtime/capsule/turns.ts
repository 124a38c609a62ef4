import { createLine, type Place } from '../line.ts'
import type { Channel } from './channel.ts'

/** Lets calls through to the process: first come, first served, and no more at once than it may have. */
export interface Turns {
  /** Returns a function that gives up waiting. */
  join(visitor: Visitor): () => void
  /** The door may have opened. */
  admit(): void
  /** Everyone who waits goes away with this message. */
  refuse(message: string): void
  readonly running: number
  readonly waiting: number
  /** Calls that are over, however they ended. */
  readonly finished: number
}

export interface Visitor {
  /** The process is ready, and the request must be sent before this returns. */
  begin(turn: Turn): void
  refuse(message: string): void
}

export interface Turn {
  readonly channel: Channel
  /** Gives the place back. */
  leave(): void
}

interface TurnsOptions {
  readonly maxConcurrency: number
  /** What to talk to, while there is something that may be talked to. */
  readonly door: () => Channel | undefined
  readonly onBusy: () => void
  readonly onQuiet: () => void
}

interface Entry {
  readonly visitor: Visitor
  isWaiting: boolean
}

export function createTurns({ maxConcurrency, door, onBusy, onQuiet }: TurnsOptions): Turns {
  const line = createLine<Entry>()
  let running = 0
  let waiting = 0
  let finished = 0

  function drop(place: Place<Entry>): void {
    place.value.isWaiting = false
    line.leave(place)
    waiting--
  }

  function admit(): void {
    while (running < maxConcurrency) {
      const place = line.first()
      const channel = place && door()
      if (place === undefined || channel === undefined) return
      drop(place)
      enter(place.value.visitor, channel)
    }
  }

  function enter(visitor: Visitor, channel: Channel): void {
    running++
    if (running === 1) onBusy()
    visitor.begin({ channel, leave: leaveOnce() })
  }

  function leaveOnce(): () => void {
    let left = false
    return () => {
      if (left) return
      left = true
      running--
      finished++
      admit()
      if (running === 0) onQuiet()
    }
  }

  return {
    join(visitor) {
      const channel = waiting === 0 && running < maxConcurrency ? door() : undefined
      if (channel !== undefined) {
        enter(visitor, channel)
        return () => {}
      }
      const entry = { visitor, isWaiting: true }
      const place = line.join(entry)
      waiting++
      admit()
      return () => {
        if (entry.isWaiting) drop(place)
      }
    },
    admit,
    refuse(message) {
      for (let place = line.first(); place !== undefined; place = line.first()) {
        drop(place)
        finished++
        place.value.visitor.refuse(message)
      }
    },
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
    get finished() {
      return finished
    },
  }
}
