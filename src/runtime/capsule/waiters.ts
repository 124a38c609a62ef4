import type { Json } from '../../model/index.ts'
import type { Waiter } from './channel.ts'

/** Who waits for which answer. */
export interface Waiters {
  set(id: number, waiter: Waiter): void
  get(id: Json): Waiter | undefined
  /** Who waited for it, and does no more. */
  take(id: Json): Waiter | undefined
  takeAll(): Waiter[]
}

/**
 * A Map that thousands pass through a second makes a new table again and again, and each old table holds on to what
 * was in it until the whole heap is searched for garbage: a whole call each time. So what it holds is emptied.
 */
export function createWaiters(): Waiters {
  const places = new Map<Json, { waiter: Waiter | undefined }>()

  function take(id: Json): Waiter | undefined {
    const place = places.get(id)
    const waiter = place?.waiter
    if (place) place.waiter = undefined
    places.delete(id)
    return waiter
  }

  return {
    set: (id, waiter) => void places.set(id, { waiter }),
    get: (id) => places.get(id)?.waiter,
    take,
    takeAll: () => [...places.keys()].flatMap((id) => take(id) ?? []),
  }
}
