import type { OpenFailure, ProcessStarter } from '../../platform/index.ts'
import type { Confine } from '../../runtime/index.ts'

type DifferenceIn = (folder: string) => string | undefined

/**
 * A starter of processes that stay, each in the folder of its package. They also start without a call (after a crash,
 * or with the server), and so the folder is looked at here too.
 */
export function guardStarts(starter: ProcessStarter, differenceIn: DifferenceIn): ProcessStarter {
  return {
    run: (request) => starter.run(request),
    close: (graceMs) => starter.close(graceMs),
    open: guardedOpen(starter, differenceIn),
  }
}

/** The same for programs that are held back. */
export function guardHolds(confine: Confine, differenceIn: DifferenceIn): Confine {
  return (subject, input) => {
    const hold = confine(subject, input)
    if (hold === undefined) return undefined
    const { starter } = hold
    const guarded = { run: starter.run.bind(starter), open: guardedOpen(starter, differenceIn) }
    return { ...hold, starter: guarded }
  }
}

function guardedOpen(
  starter: Pick<ProcessStarter, 'open'>,
  differenceIn: DifferenceIn,
): ProcessStarter['open'] {
  return async (request) => {
    const difference = differenceIn(request.cwd)
    if (difference === undefined) return starter.open(request)
    const message = `${difference} since it was installed`
    const failure: OpenFailure = { error: new Error(message), problem: { kind: 'other', message } }
    return failure
  }
}
