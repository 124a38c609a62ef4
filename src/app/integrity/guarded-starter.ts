import type { OpenFailure, ProcessStarter } from '../../platform/index.ts'

/**
 * A starter of processes that stay, each in the folder of its package. They also start without a call (after a crash,
 * or with the server), and so the folder is looked at here too.
 */
export function guardStarts(
  starter: ProcessStarter,
  differenceIn: (folder: string) => string | undefined,
): ProcessStarter {
  return {
    run: (request) => starter.run(request),
    close: (graceMs) => starter.close(graceMs),
    async open(request) {
      const difference = differenceIn(request.cwd)
      if (difference === undefined) return starter.open(request)
      const message = `${difference} since it was installed`
      const failure: OpenFailure = { error: new Error(message), problem: { kind: 'other', message } }
      return failure
    },
  }
}
