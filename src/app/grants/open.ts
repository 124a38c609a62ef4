import type { Caller, Capsule, Config, Log, Tool } from '../../model/index.ts'
import { type Consent, isLoopback } from '../../server/index.ts'
import { openGrants } from './book.ts'
import { createConsent, type Enforce } from './consent.ts'
import { followGrants } from './follow.ts'
import { type Accepted, createGate, type Gate } from './gate.ts'

/** What a server goes by when packages want to run. */
export interface PackageGate {
  readonly admit: (tool: Tool, caller: Caller) => string | undefined
  readonly acceptedFor: Gate['acceptedFor']
  readonly grantOf: Gate['grantOf']
  /** Absent where the person behind a client is not the one to ask. */
  readonly consent?: Consent
  /** What a capsule may do, in words; undefined: it may not run. */
  accepted(capsule: Capsule): readonly string[] | undefined
  /** Calls back whenever something is accepted or taken back, and tells the log; until it is closed. */
  follow(onChange: () => void): void
  /** Nobody is asked any more. */
  close(): void
}

export function openPackageGate(
  home: string,
  config: Pick<Config, 'transport' | 'host'>,
  log: Log,
  enforcement?: Enforce,
): PackageGate {
  const book = openGrants(home)
  const gate = createGate(book, log)
  const over = new AbortController()
  let following: { close(): void } | undefined
  const consent = createConsent({
    gate,
    book,
    now: () => new Date(),
    signal: over.signal,
    ...(enforcement && { enforcement }),
  })
  return {
    admit: gate.admit,
    acceptedFor: (facts) => gate.acceptedFor(facts),
    grantOf: gate.grantOf,
    ...(isPersonal(config) && { consent }),
    accepted({ origin }) {
      const accepted = origin?.kind === 'package' ? gate.acceptedFor(origin.package) : OWN
      return accepted && wordsOf(accepted)
    },
    follow(onChange) {
      following = followGrants(book, log, onChange)
    },
    close() {
      over.abort()
      following?.close()
    },
  }
}

const OWN = { permissions: null, unenforced: 'all' } as const

function wordsOf({ permissions, unenforced }: Accepted): readonly string[] {
  const open = unenforced === 'all' ? [unenforced] : unenforced
  return [...(permissions ?? []), ...open.map((what) => `not enforced: ${what}`)]
}

/** Who calls from another machine is not the one to say what may run on this one. */
function isPersonal({ transport, host }: Pick<Config, 'transport' | 'host'>): boolean {
  return transport === 'stdio' || isLoopback(host)
}
