import { createCrowd, type Standing } from './crowd.ts'

/**
 * A beat from time to time for whoever waits long, with one timer for all of them: nearly every call is over before
 * its first beat.
 */
export interface Pulse {
  join(member: PulseMember): void
  leave(member: PulseMember): void
}

export interface PulseMember extends Standing {
  beat(): void
}

/** A beat comes with the second tick at the earliest, so that nobody is woken early. */
export function createPulse(intervalMs: number): Pulse {
  const members = createCrowd<PulseMember>()
  let old: readonly PulseMember[] = []
  let timer: NodeJS.Timeout | undefined

  function tick(): void {
    for (const member of old) if (members.has(member)) member.beat()
    old = members.all()
    if (members.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    join(member) {
      members.join(member)
      timer ??= setInterval(tick, intervalMs).unref()
    },
    leave: (member) => members.leave(member),
  }
}
