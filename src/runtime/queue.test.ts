import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueue, type Leave, type Queue } from './queue.ts'

describe('queue', () => {
  it('lets as many run as the cap allows, and the next when one leaves', async () => {
    const line = watch(createQueue(() => 2))
    const calls = await line.enter('a', 'a', 'a', 'a')
    expect(line.running).toEqual([0, 1])
    await calls[0]?.leave()
    expect(line.running).toEqual([1, 2])
    await calls[2]?.leave()
    await calls[1]?.leave()
    expect(line.running).toEqual([3])
  })

  it('takes turns between connections: one with many calls does not hold up another', async () => {
    const line = watch(createQueue(() => 1))
    const calls = await line.enter('a', 'a', 'a', 'a', 'b', 'c', 'b')
    const order: number[] = []
    for (let at = line.running[0]; at !== undefined; at = line.running[0]) {
      order.push(at)
      await calls[at]?.leave()
    }
    expect(order).toEqual([0, 1, 4, 5, 2, 6, 3])
  })

  it('Q16: a waiting call can be cancelled, one that is cancelled already does not enter', async () => {
    const line = watch(createQueue(() => 1))
    const calls = await line.enter('a', 'a', 'a')
    await calls[1]?.cancel()
    expect(line.cancelled).toEqual([1])
    await calls[0]?.leave()
    expect(line.running).toEqual([2])
    expect(await createQueue(() => 1).enter('a', AbortSignal.abort())).toBe('cancelled')
  })

  it('a connection whose calls were all cancelled is passed over', async () => {
    const line = watch(createQueue(() => 1))
    const calls = await line.enter('a', 'b', 'b', 'c')
    await calls[1]?.cancel()
    await calls[2]?.cancel()
    await calls[0]?.leave()
    expect(line.running).toEqual([3])
  })

  it('follows a changed cap with the next call that comes or goes', async () => {
    let cap = 1
    const line = watch(createQueue(() => cap))
    const calls = await line.enter('a', 'a', 'a', 'a')
    cap = 3
    await calls[0]?.leave()
    expect(line.running).toEqual([1, 2, 3])
    cap = 1
    await line.enter('a')
    await calls[1]?.leave()
    expect(line.running).toEqual([2, 3])
    cap = 0
    await calls[2]?.leave()
    await calls[3]?.leave()
    expect(line.running).toEqual([4])
  })

  it('a place is given back once', async () => {
    const line = watch(createQueue(() => 1))
    const calls = await line.enter('a', 'a', 'a')
    await calls[0]?.leave()
    await calls[0]?.leave()
    expect(line.running).toEqual([1])
  })

  it('holds ten thousand', async () => {
    const queue = createQueue(() => 4)
    let most = 0
    let running = 0
    const one = async (index: number) => {
      const leave = await queue.enter(`c${index % 1000}`, new AbortController().signal)
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      if (leave !== 'cancelled') leave()
    }
    await Promise.all(Array.from({ length: 10_000 }, (_, index) => one(index)))
    expect(most).toBe(4)
  })

  it('never runs more than the cap, loses no call, and no connection waits for two turns of another', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), connection: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('leave' as const), pick: fc.nat() }),
      fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 60 }),
        async (cap, steps) => {
          const line = watch(createQueue(() => cap))
          const calls: Entered[] = []
          const waiting = () =>
            calls.filter((_, index) => !line.started.includes(index) && !line.cancelled.includes(index))
          for (const action of steps) {
            if (action.kind === 'enter') calls.push(...(await line.enter(action.connection)))
            else if (action.kind === 'leave')
              await calls[line.running[action.pick % line.running.length] ?? -1]?.leave()
            else await calls[action.pick % calls.length]?.cancel()
            expect(line.running.length).toBeLessThanOrEqual(cap)
            if (waiting().length > 0) expect(line.running.length).toBe(cap)
          }
          while (line.running.length > 0) {
            const lining = waiting().map((call) => call.connection)
            const before = line.started.length
            await calls[line.running[0] ?? -1]?.leave()
            const served = line.started.slice(before).map((index) => calls[index]?.connection)
            for (const connection of served) line.turns.push({ connection, lining: new Set(lining) })
          }
          expect(line.started.length + line.cancelled.length).toBe(calls.length)
          expect(line.started.length).toBe(new Set(line.started).size)
          for (const [index, { connection, lining }] of line.turns.entries()) {
            const again = line.turns.findIndex((turn, at) => at > index && turn.connection === connection)
            if (again === -1) continue
            const between = new Set(line.turns.slice(index + 1, again).map((turn) => turn.connection))
            for (const other of lining) if (other !== connection) expect(between.has(other)).toBe(true)
          }
        },
      ),
    )
  })
})

interface Entered {
  readonly connection: string
  leave(): Promise<void>
  cancel(): Promise<void>
}

/** Records who runs, in the order in which they started. */
function watch(queue: Queue) {
  const running: number[] = []
  const started: number[] = []
  const cancelled: number[] = []
  const turns: { connection: string | undefined; lining: ReadonlySet<string> }[] = []
  let count = 0
  const enterOne = (connection: string): Entered => {
    const index = count++
    const stop = new AbortController()
    let leave: Leave = () => {}
    void queue.enter(connection, stop.signal).then((entered) => {
      if (entered === 'cancelled') return cancelled.push(index)
      running.push(index)
      started.push(index)
      leave = () => {
        if (running.includes(index)) running.splice(running.indexOf(index), 1)
        entered()
      }
    })
    return {
      connection,
      async leave() {
        leave()
        await settled()
      },
      async cancel() {
        if (!started.includes(index)) stop.abort()
        await settled()
      },
    }
  }
  return {
    running,
    started,
    cancelled,
    turns,
    async enter(...connections: string[]): Promise<Entered[]> {
      const entered = connections.map(enterOne)
      await settled()
      return entered
    },
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve()
}
