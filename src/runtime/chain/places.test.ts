import { describe, expect, it } from 'vitest'
import { createQueue, type Leave } from '../queue.ts'
import { createPlaces } from './places.ts'

const never = new AbortController().signal

describe('the places of a chain', () => {
  it('the own one is there at once, and goes from hand to hand', async () => {
    const places = createPlaces(() => new Promise(() => {}))
    const first = await taken(places.take(never))
    const waiting = [places.take(never), places.take(never)]
    first()
    const second = await taken(waiting[0])
    second()
    const third = await taken(waiting[1])
    third()
    expect(await taken(places.take(never))).toBeTypeOf('function')
  })

  it('further ones come from the queue, and go back to it', async () => {
    const queue = createQueue(() => 2)
    await queue.enter('chain', never)
    const places = createPlaces((signal) => queue.enter('chain', signal))
    const own = await taken(places.take(never))
    const further = await taken(places.take(never))
    const third = places.take(never)
    const other = queue.enter('other', never)
    own()
    const handed = await taken(third)
    further()
    const others = await taken(other)
    handed()
    others()
    // Nothing is lost: of the two places the chain still has its own.
    const [a, b] = [await taken(places.take(never)), await taken(queue.enter('other', never))]
    a()
    b()
  })

  it('whoever waited for both and got the own place leaves the queue', async () => {
    const queue = createQueue(() => 1)
    const leave = await taken(queue.enter('chain', never))
    const places = createPlaces((signal) => queue.enter('chain', signal))
    const own = await taken(places.take(never))
    const next = places.take(never)
    own()
    const again = await taken(next)
    again()
    const other = queue.enter('other', never)
    leave()
    expect(await other).toBeTypeOf('function')
  })

  it('whoever gives up waits no longer', async () => {
    const queue = createQueue(() => 1)
    await queue.enter('chain', never)
    const places = createPlaces((signal) => queue.enter('chain', signal))
    const own = await taken(places.take(never))
    const stop = new AbortController()
    const waiting = places.take(stop.signal)
    stop.abort()
    expect(await waiting).toBe('cancelled')
    expect(await places.take(stop.signal)).toBe('cancelled')
    own()
    expect(await places.take(never)).toBeTypeOf('function')
  })
})

async function taken(place: Promise<Leave | 'cancelled'> | undefined): Promise<Leave> {
  const leave = await place
  if (leave === undefined || leave === 'cancelled') throw new Error('there is no place')
  return leave
}
