import { setMaxListeners } from 'node:events'

type Listening = Parameters<AbortSignal['addEventListener']>

/**
 * What tells a call that nobody waits for it any more. It does for listeners and for Node's own functions what an
 * AbortSignal does; only `AbortSignal.any` does not know it. Making a real one costs a fifth of a whole request, and
 * an EventTarget is dear too: nearly every call has a single listener, and so there is one for the others only.
 */
export class CallSignal implements AbortSignal {
  aborted = false
  reason: unknown = undefined
  onabort: AbortSignal['onabort'] = null
  #first: Listening[1] | undefined
  #others: EventTarget | undefined

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(...[type, listener, options]: Listening): void {
    if (listener === this.#first && type === 'abort') return
    const isFirst = this.#first === undefined && this.#others === undefined
    if (isFirst && type === 'abort' && options === undefined) this.#first = listener
    else {
      this.#others ??= targetOf()
      this.#others.addEventListener(type, listener, options)
    }
  }

  removeEventListener(...[type, listener, options]: Listening): void {
    if (listener === this.#first && type === 'abort') this.#first = undefined
    else this.#others?.removeEventListener(type, listener, options)
  }

  dispatchEvent(event: Event): boolean {
    // Those of a target hear an event each: it cannot be on its way to two at once.
    if (event.type === 'abort' && this.#first) targetOf(this.#first).dispatchEvent(new Event('abort'))
    return this.#others?.dispatchEvent(event) ?? true
  }

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = new DOMException('This operation was aborted', 'AbortError')
    const event = new Event('abort')
    this.onabort?.(event)
    this.dispatchEvent(event)
  }
}

/** Many steps of a chain may listen; that is no leak. */
function targetOf(listener?: Listening[1]): EventTarget {
  const target = new EventTarget()
  setMaxListeners(0, target)
  if (listener) target.addEventListener('abort', listener)
  return target
}
