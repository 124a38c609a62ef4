import type { Capsule } from '../../model/index.ts'
import type { Channel } from './channel.ts'
import { createFairTimer } from './fair-timer.ts'

/** Asks a silent process for a sign of life again and again. Returns a function that stops it. */
export function watchHealth(
  channel: Channel,
  { intervalMs, timeoutMs }: NonNullable<Capsule['health']>,
  onSilence: () => void,
): () => void {
  const timer = createFairTimer()
  let asked: number | undefined

  function rest(): void {
    const heard = channel.heard()
    timer.set(intervalMs, () => (channel.heard() === heard ? ask(heard) : rest()))
  }

  function ask(heard: number): void {
    timer.set(timeoutMs, () => (channel.heard() === heard ? onSilence() : stopAsking()))
    asked = channel.request('ping', () => ({}), { onAnswer: stopAsking }).id
  }

  /** Any answer is a sign of life, an error too, and so is anything else it says. */
  function stopAsking(): void {
    if (asked !== undefined) channel.forget(asked)
    asked = undefined
    rest()
  }

  rest()
  return () => {
    timer.clear()
    if (asked !== undefined) channel.forget(asked)
  }
}
