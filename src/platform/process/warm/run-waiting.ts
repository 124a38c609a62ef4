import { type Collector, collectOutput } from '../collect.ts'
import { createRace } from '../race.ts'
import type { OpenEnd, ProcessEnd, ProcessRequest } from '../starter.ts'
import { type Cause, graceOf, watchForEnd } from '../watch-end.ts'
import { handOver } from './hand-over.ts'
import { BEGUN, nextByte, type Waiting } from './waiting.ts'

/**
 * One call in an interpreter that waits. `unserved`: it ended before the script began, so that the call may be made
 * in another way. From there on never: the script may have done something.
 */
export async function runWaiting(
  request: ProcessRequest,
  { process, ready }: Waiting,
  call: string,
  closing: AbortSignal,
): Promise<ProcessEnd | 'unserved'> {
  const { stdout, stderr } = process
  const race = createRace<Cause>()
  let ended: OpenEnd = { exitCode: null, signal: null }
  void process.gone.then((end) => {
    ended = end
    race.win('exit')
  })
  const stopWatching = watchForEnd(race, request, closing)
  try {
    handOver(process, call, request.stdin)
  } catch {
    // Without its call it leaves, and that is heard as the exit of one that did not begin.
    process.stdin.end()
  }
  const collected = collect()

  async function collect(): Promise<Collector | undefined> {
    await ready
    if ((await nextByte(stdout)) === BEGUN)
      return collectOutput(stdout, stderr, request.outputBytes, () => race.win('limit'))
    // Nobody wants it, but it has to be read for the streams to end.
    for (const stream of [stdout, stderr]) stream.resume()
    return undefined
  }

  const cause = await race.over
  stopWatching()
  // Its input has ended long ago, so it is not given time to notice that.
  await (cause === 'exit' ? process.exited : process.end(graceOf(request.graceMs, closing), 0))
  stdout.destroy()
  const output = await collected
  if (output === undefined && cause === 'exit') return 'unserved'
  const { exitCode, signal } = ended
  return { cause, exitCode, signal, ...(output?.take() ?? NOTHING) }
}

const NOTHING = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) } as const
