import type { Caller } from '../model/index.ts'
import type { Consent } from './contract.ts'
import { type FakeDeps, failed, fakeCatalog, fakeDeps, printed } from './test-kit.ts'

export interface Guarded {
  readonly deps: FakeDeps & { readonly consent: Consent }
  /** Who was let in. */
  readonly admitted: ReadonlySet<Caller>
  /** Answers come too late from now on. */
  readonly stop: AbortController
}

/** Deps whose one tool, `guarded`, runs for callers that were let in. */
export function guardedDeps(waitMs: number): Guarded {
  const admitted = new Set<Caller>()
  const stop = new AbortController()
  const consent: Consent = {
    waitMs,
    signal: stop.signal,
    isNeeded: () => true,
    question: async () => ({
      id: 'q',
      text: 'May it?',
      canBeOnce: true,
      async accept(_, caller) {
        admitted.add(caller)
        return () => admitted.delete(caller)
      },
    }),
  }
  const deps = fakeDeps(fakeCatalog('guarded'), async ({ caller }) =>
    admitted.has(caller) ? printed('in') : failed('denied', 'nobody said yes'),
  )
  return { deps: Object.assign(deps, { consent }), admitted, stop }
}
