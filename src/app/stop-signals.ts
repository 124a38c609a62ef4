import type { Log } from '../model/index.ts'
import type { World } from './world.ts'

export interface StopSignals {
  /** Resolves to the cause. */
  readonly requested: Promise<string>
  /** Resolves when nobody wants to wait for calls. */
  readonly hurried: Promise<void>
  /** A second signal came: tools get no time either. */
  isUrgent(): boolean
  request(cause: string): void
  release(): void
}

/** The first signal asks to stop; one that comes after something else has asked does not wait for calls. */
export function stopSignals(world: World, log: Log): StopSignals {
  let request: (cause: string) => void = () => {}
  let hurry: () => void = () => {}
  const requested = new Promise<string>((resolve) => {
    request = resolve
  })
  const hurried = new Promise<void>((resolve) => {
    hurry = resolve
  })
  let signals = 0
  let isRequested = false
  const onSignal = (name: string) => {
    signals++
    if (signals > 1 || isRequested) {
      log.warn('stopping at once', { cause: name })
      hurry()
    }
    request(name)
  }
  const releases = (['SIGINT', 'SIGTERM'] as const).map((name) => world.onSignal(name, () => onSignal(name)))
  return {
    requested,
    hurried,
    isUrgent: () => signals > 1,
    request: (cause: string) => {
      isRequested = true
      // A client that is gone waits for no answer.
      if (cause === 'client disconnected') hurry()
      request(cause)
    },
    release: () => {
      for (const release of releases) release()
    },
  }
}
