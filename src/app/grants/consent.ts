import { describeUnenforced, describeWord } from '../../formats/index.ts'
import { type Caller, type Enforcement, type Grant, type ManifestLimits, oneLine } from '../../model/index.ts'
import { type Consent, SERVER_TOKEN } from '../../server/index.ts'
import { type GrantBook, keyOf } from './book.ts'
import type { Gate, Lent, Unaccepted } from './gate.ts'

/** What this host can hold a package to. */
export type Enforce = (asks: {
  readonly permissions: readonly string[] | null
  readonly limits: ManifestLimits
}) => Promise<Enforcement>

interface Deps {
  readonly gate: Gate
  readonly book: GrantBook
  readonly now: () => Date
  readonly enforcement?: Enforce
  /** Aborted when the server stops. */
  readonly signal: AbortSignal
}

/** Human-paced; whoever calls gives up long before. */
const WAIT_MS = 300_000

/** Lets the person behind a client accept what a call needs, in the words of a plan. */
export function createConsent({ gate, book, now, enforcement, signal }: Deps): Consent {
  return {
    waitMs: WAIT_MS,
    signal,
    isNeeded: (tool, catalog) => gate.missing(tool, catalog).length > 0,
    async question(tool, catalog, caller) {
      const missing = decides(caller) ? gate.missing(tool, catalog) : []
      if (missing.length === 0) return undefined
      const asked = await Promise.all(
        missing.map(async (one) => ({
          ...one,
          unenforced: (await enforcement?.(one.facts))?.unenforced ?? [],
        })),
      )
      return {
        id: missing.map(keyOf).join('\n'),
        text: asked.map(wordsOf).join('\n\n'),
        // A process that stays would outlive the one call.
        canBeOnce: !missing.some(({ stays }) => stays),
        async accept(decision, by) {
          if (decision === 'once') return gate.lend(asked, by)
          await book.add(asked.map((one) => grantOf(one, now())))
          return () => {}
        },
      }
    },
  }
}

/**
 * A grant counts for this user, in all projects. Who was let in under a name of their own, perhaps through a proxy from
 * far away, uses the server; whoever has no token to show, or the one of the server itself, runs it.
 */
function decides({ principal }: Caller): boolean {
  return principal === undefined || principal === SERVER_TOKEN
}

type Asked = Unaccepted & Lent

function grantOf({ name, version, digest, permissions, unenforced }: Asked, now: Date): Grant {
  return {
    name,
    version,
    digest,
    permissions,
    unenforced,
    accepted_at: now.toISOString(),
    how: 'elicitation',
  }
}

function wordsOf({ name, version, permissions, unenforced }: Asked): string {
  return [
    `The package ${name} ${version} wants to run. Nobody on this machine has accepted yet what it may do:`,
    ...(permissions.length === 0 ? ['- nothing outside its own folder'] : []),
    ...permissions.map((word) => `- it ${oneLine(describeWord(word))} (${oneLine(word)})`),
    ...(unenforced.length === 0 ? [] : [`This machine cannot enforce: ${describeUnenforced(unenforced)}`]),
  ].join('\n')
}
