import type { Json } from '../../model/index.ts'
import type { Waiter } from './channel.ts'

/** Who waits for which answer. */
export interface Waiters {
  /** Returns the number under which the answer is to come. None is given twice. */
  add(waiter: Waiter): number
  get(id: Json): Waiter | undefined
  /** Who waited for it, and does no more. */
  take(id: Json): Waiter | undefined
  takeAll(): Waiter[]
}

interface Place {
  readonly id: number
  readonly waiter: Waiter
}

const FEWEST_PLACES = 16

/**
 * A number tells its place in a table that is always half empty, and one whose place is taken is passed over. A Map that
 * thousands pass through a second makes a new table again and again, and each old table holds on to what was in it until
 * the whole heap is searched for garbage.
 */
export function createWaiters(): Waiters {
  let places: (Place | undefined)[] = emptyPlaces(FEWEST_PLACES)
  let taken = 0
  let lastId = 0

  function at(id: Json): Place | undefined {
    if (typeof id !== 'number') return undefined
    const place = places[id & (places.length - 1)]
    return place?.id === id ? place : undefined
  }

  function free(id: number): void {
    places[id & (places.length - 1)] = undefined
    taken--
  }

  /** Who had different places before has so in a table that is twice as large. */
  function grow(): void {
    const waiting = everyone()
    places = emptyPlaces(2 * places.length)
    for (const place of waiting) places[place.id & (places.length - 1)] = place
  }

  function everyone(): Place[] {
    return places.flatMap((place) => place ?? [])
  }

  return {
    add(waiter) {
      if (2 * taken >= places.length) grow()
      do lastId++
      while (places[lastId & (places.length - 1)] !== undefined)
      places[lastId & (places.length - 1)] = { id: lastId, waiter }
      taken++
      return lastId
    },
    get: (id) => at(id)?.waiter,
    take(id) {
      const place = at(id)
      if (place) free(place.id)
      return place?.waiter
    },
    takeAll() {
      const waiting = everyone().sort((a, b) => a.id - b.id)
      for (const { id } of waiting) free(id)
      return waiting.map(({ waiter }) => waiter)
    },
  }
}

function emptyPlaces(size: number): (Place | undefined)[] {
  return Array.from({ length: size }, () => undefined)
}
