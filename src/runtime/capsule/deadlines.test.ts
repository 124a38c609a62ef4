import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { createDeadlines } from './deadlines.ts'

describe('deadlines', () => {
  it('Q68: ring in order, each once, and no earlier than asked for', async () => {
    const deadlines = createDeadlines()
    const rung: [string, number][] = []
    const begun = performance.now()
    const told = new Promise<void>((resolve) => {
      const ring = (name: string) => () => {
        rung.push([name, performance.now() - begun])
        if (rung.length === 3) resolve()
      }
      deadlines.set(60, ring('long'))
      deadlines.set(20, ring('first'))
      deadlines.set(20, ring('second'))
    })
    await keptAlive(told)
    expect(rung.map(([name]) => name)).toEqual(['first', 'second', 'long'])
    // A timer counts whole milliseconds.
    for (const [index, least] of [20, 20, 60].entries()) expect(rung[index]?.[1]).toBeGreaterThan(least - 1.5)
  })

  it('Q68: what is cleared does not ring, and those behind it still do', async () => {
    const deadlines = createDeadlines()
    const rung: string[] = []
    const clears = ['a', 'b', 'c'].map((name) => deadlines.set(20, () => void rung.push(name)))
    clears[0]?.()
    clears[2]?.()
    clears[2]?.()
    await keptAlive(new Promise<void>((resolve) => deadlines.set(40, resolve)))
    expect(rung).toEqual(['b'])
    // Too late to matter, and no harm to those who came since.
    const later = new Promise<void>((resolve) => deadlines.set(20, resolve))
    clears[1]?.()
    await keptAlive(later)
  })

  it('Q68: one that is set while its line is old waits its whole time', async () => {
    const deadlines = createDeadlines()
    deadlines.set(50, () => {})()
    await pause(30)
    const begun = performance.now()
    await keptAlive(new Promise<void>((resolve) => deadlines.set(50, resolve)))
    expect(performance.now() - begun).toBeGreaterThan(48.5)
  })

  it('Q68: what arrived while the program was blocked is heard first', async () => {
    const deadlines = createDeadlines()
    let rung = false
    const clear = deadlines.set(5, () => {
      rung = true
    })
    const { port1, port2 } = new MessageChannel()
    const heard = once(port1, 'message').then(clear)
    port2.postMessage('the answer')
    for (const end = performance.now() + 20; performance.now() < end; );
    await heard
    await pause(30)
    expect(rung).toBe(false)
    port1.close()
  })

  it('an endless one never rings', async () => {
    const deadlines = createDeadlines()
    for (const ms of [Number.POSITIVE_INFINITY, 2 ** 31]) deadlines.set(ms, () => expect.unreachable())()
    await pause(5)
  })
})

/** Deadlines alone keep no program running. */
async function keptAlive(told: Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, 1_000)
  await told
  clearInterval(timer)
}
