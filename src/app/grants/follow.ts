import type { Grant, Log } from '../../model/index.ts'
import { type GrantBook, keyOf } from './book.ts'

/** How soon a server notices what another process accepts or takes back, when no call comes: a call looks itself. */
const EVERY_MS = 1_000

/** Tells the log what is accepted and taken back from now on, whoever does it. */
export function followGrants(book: GrantBook, log: Log, onChange: () => void): { close(): void } {
  let before = listOf(book)
  let closed = false
  book.onChange(() => {
    if (closed) return
    const damage = book.damage()
    if (damage !== undefined) log.error(damage.message, { hint: damage.hint })
    const after = listOf(book)
    for (const [key, grant] of after) tell(log, grant, before.get(key))
    for (const [key, grant] of before) if (!after.has(key)) tell(log, undefined, grant)
    before = after
    onChange()
  })
  const timer = setInterval(() => book.look(), EVERY_MS)
  timer.unref()
  return {
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}

function listOf(book: GrantBook): ReadonlyMap<string, Grant> {
  return book.damage() === undefined ? new Map(book.all().map((grant) => [keyOf(grant), grant])) : new Map()
}

function tell(log: Log, now: Grant | undefined, before: Grant | undefined): void {
  const grant = now ?? before
  if (grant === undefined) return
  const { name, version, digest } = grant
  const had = before?.permissions ?? []
  const has = now?.permissions ?? []
  const given = has.filter((word) => !had.includes(word))
  const taken = had.filter((word) => !has.includes(word))
  const about = { package: name, version, digest }
  if (before === undefined || given.length > 0)
    log.info('grant', { action: 'given', ...about, words: given, how: grant.how })
  if (now === undefined || taken.length > 0)
    log.info('grant', { action: 'taken back', ...about, words: taken })
}
