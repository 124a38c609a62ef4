import type { Log } from '../model/index.ts'
import type { Calling } from './calling.ts'
import type { Front } from './front.ts'
import type { StopSignals } from './stop-signals.ts'

interface Closing {
  close(): void
}

/** What of a running server is to be ended. */
interface Parts {
  readonly log: Log
  readonly stop: StopSignals
  readonly calling: Calling
  readonly front: Front
  /** How long clients wait for what they asked for. */
  readonly graceMs: number
  /** What would begin something new. */
  readonly beginnings: readonly (Closing | undefined)[]
}

/** For answers on their way when everything else has ended. */
const LAST_ANSWERS_MS = 500
const NEVER = new Promise<void>(() => {})

/** Nothing new begins, calls end or are ended, and every one of them has its answer before connections close. */
export async function stopServing({ log, stop, calling, front, graceMs, beginnings }: Parts): Promise<void> {
  for (const beginning of beginnings) beginning?.close()
  front.stopAccepting()
  await settled(front.idle(), graceMs, stop.hurried)
  const running = calling.running()
  if (running > 0) log.warn('ending calls that did not finish in time', { calls: running })
  await calling.end(stop.isUrgent() ? 0 : undefined)
  // Calls that were ended have an answer too, if their clients still listen.
  await settled(front.idle(), LAST_ANSWERS_MS, NEVER)
  await front.close()
  await calling.settle()
}

/** Whichever comes first: all is answered, the time is over, or someone does not want to wait. */
async function settled(idle: Promise<void>, graceMs: number, hurried: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([idle, over, hurried])
  clearTimeout(timer)
}
