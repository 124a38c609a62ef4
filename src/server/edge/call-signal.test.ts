import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CallSignal } from './call-signal.ts'

describe('the signal of a call', () => {
  it('tells all who listen, in their order, each once', () => {
    const signal = new CallSignal()
    const heard: string[] = []
    const first = () => void heard.push('first')
    signal.addEventListener('abort', first)
    signal.addEventListener('abort', first)
    signal.addEventListener('abort', () => void heard.push('second'))
    signal.addEventListener('abort', { handleEvent: () => void heard.push('third') }, { once: true })
    signal.onabort = () => void heard.push('own')
    expect(signal.aborted).toBe(false)
    signal.throwIfAborted()
    signal.abort()
    signal.abort()
    expect(heard).toEqual(['own', 'first', 'second', 'third'])
    expect(signal.aborted).toBe(true)
    expect(() => signal.throwIfAborted()).toThrow('This operation was aborted')
  })

  it('does not tell who listens no more, or to something else', () => {
    const signal = new CallSignal()
    const heard: string[] = []
    const gone = () => void heard.push('gone')
    signal.addEventListener('abort', gone)
    signal.removeEventListener('abort', gone)
    signal.addEventListener('other', gone)
    signal.addEventListener('abort', () => void heard.push('here'))
    signal.addEventListener('abort', gone)
    signal.removeEventListener('abort', gone)
    signal.abort()
    expect(heard).toEqual(['here'])
  })

  it('ends what Node does with it', async () => {
    const signal = new CallSignal()
    signal.addEventListener('abort', () => {})
    const waiting = [pause(60_000, undefined, { signal }), once(new EventTarget(), 'never', { signal })]
    signal.abort()
    const ends = await Promise.allSettled(waiting)
    expect(ends).toMatchObject(ends.map(() => ({ status: 'rejected', reason: { name: 'AbortError' } })))
  })
})
