import { addedPermissions, effectivePermissions, handsOf } from '../../formats/index.ts'
import type { Caller, Catalog, Grant, GrantKey, Log, PackageFacts, Tool } from '../../model/index.ts'
import { type GrantBook, keyOf } from './book.ts'

/** What a person accepted for a package. */
export interface Accepted {
  /** Words of its manifest; null only for an own folder whose manifest does not have the key. */
  readonly permissions: readonly string[] | null
  /** What the host may leave unenforced, because the plan said so; all of it for an own folder. */
  readonly unenforced: readonly string[] | 'all'
  /** Whose package it is: those of an install that saw where it came from, else nobody's but its own. */
  readonly source?: string
}

/** A package that nobody on this machine has accepted. */
export interface Unaccepted extends GrantKey {
  readonly facts: PackageFacts
  /** Everything it asks for. */
  readonly permissions: readonly string[]
  /** One of its processes stays when the call is over. */
  readonly stays: boolean
}

export interface Lent extends GrantKey {
  readonly unenforced: readonly string[]
}

export interface Gate {
  /** Why a tool may not run for this caller; undefined when it may. */
  readonly admit: (tool: Tool, caller: Caller) => string | undefined
  /** What holds for whatever a package runs; undefined: nothing of it may run. */
  acceptedFor(facts: PackageFacts): Accepted | undefined
  /** What was accepted for the package of a tool, as a text for records; undefined for what needs nobody's word. */
  readonly grantOf: (tool: Tool) => string | undefined
  /** What would have to be accepted before a call: the package of the tool, and those of the steps of a chain. */
  missing(tool: Tool, catalog: Catalog): readonly Unaccepted[]
  /** For the calls of this caller only, until it is taken back. */
  lend(packages: readonly Lent[], caller: Caller): () => void
}

/** Nothing of an installed package runs unless this user accepted exactly this content of it. */
export function createGate(book: Pick<GrantBook, 'find' | 'damage'>, log?: Pick<Log, 'warn'>): Gate {
  const lent = new Map<string, { readonly callers: Set<Caller>; readonly unenforced: readonly string[] }>()
  /** The same for as long as the same grant is in the book: each call asks several times. */
  const known = new WeakMap<PackageFacts, { readonly grant: Grant; readonly accepted: Accepted }>()

  function acceptedFor(facts: PackageFacts): Accepted | undefined {
    const { name, permissions, receipt } = facts
    if (receipt === undefined) return { permissions, unenforced: 'all' }
    const key = { name, digest: receipt.digest }
    const grant = book.find(key)
    if (grant !== undefined) {
      const before = known.get(facts)
      if (before?.grant === grant) return before.accepted
      const accepted = grantedTo(permissions, grant, receipt.digest)
      known.set(facts, { grant, accepted })
      return accepted
    }
    const loan = lent.get(keyOf(key))
    const asked = effectivePermissions(permissions)
    return loan && { permissions: asked, unenforced: loan.unenforced, source: receipt.digest }
  }

  function isAccepted(key: GrantKey): boolean {
    return book.find(key)?.version === key.version
  }

  function isAdmitted(tool: Tool, caller: Caller): boolean {
    const key = keyOfTool(tool)
    return key === undefined || isAccepted(key) || lent.get(keyOf(key))?.callers.has(caller) === true
  }

  function denial(tool: Tool, facts: PackageFacts, caller: Caller): string | undefined {
    if (isAdmitted(tool, caller)) return withheld(tool, acceptedFor(facts))
    const damage = book.damage()
    if (damage === undefined) return `\`${tool.name}\` ${unacceptedWords(facts, tool.version)}`
    const { message, hint } = damage
    return `\`${tool.name}\` is not run: ${message}${hint === undefined ? '' : ` (${hint})`}`
  }

  return {
    acceptedFor,
    grantOf({ origin }) {
      if (origin.kind === 'loose' || origin.package.receipt === undefined) return undefined
      const accepted = acceptedFor(origin.package)
      return accepted && ((accepted.permissions ?? []).join(' ') || 'nothing beyond itself')
    },
    admit(tool, caller) {
      const { origin, version } = tool
      if (origin.kind === 'loose' || origin.package.receipt === undefined) return undefined
      const why = denial(tool, origin.package, caller)
      if (why === undefined) return undefined
      const { name, permissions } = origin.package
      const words = effectivePermissions(permissions)
      log?.warn('grant', {
        action: 'denied',
        tool: tool.name,
        package: name,
        version,
        words,
        request_id: caller.requestId,
      })
      return why
    },
    missing(tool, catalog) {
      // Nearly all calls are of one tool that is accepted, or needs nobody's word.
      const own = keyOfTool(tool)
      if (tool.run.kind !== 'chain' && (own === undefined || isAccepted(own))) return []
      const found = new Map<string, Unaccepted>()
      for (const one of involved(tool, catalog)) {
        const key = keyOfTool(one)
        if (key === undefined || isAccepted(key) || one.origin.kind === 'loose') continue
        const { package: facts } = one.origin
        const permissions = effectivePermissions(facts.permissions)
        found.set(keyOf(key), { ...key, facts, permissions, stays: one.run.kind === 'capsule' })
      }
      // What could not be written down is not asked for.
      return book.damage() === undefined ? [...found.values()] : []
    },
    lend(packages, caller) {
      for (const one of packages) {
        const callers = lent.get(keyOf(one))?.callers ?? new Set()
        lent.set(keyOf(one), { callers: callers.add(caller), unenforced: one.unenforced })
      }
      return () => {
        for (const key of packages.map(keyOf)) {
          const loan = lent.get(key)
          loan?.callers.delete(caller)
          if (loan?.callers.size === 0) lent.delete(key)
        }
      }
    },
  }
}

/** A receipt may be a forgery of one that was accepted: what its manifest does not say it does not get. */
function grantedTo(permissions: PackageFacts['permissions'], grant: Grant, digest: string): Accepted {
  const granted = effectivePermissions(permissions).filter((word) => grant.permissions.includes(word))
  const source = grant.pin === undefined ? digest : handsOf(grant.pin)
  return { permissions: granted, unenforced: grant.unenforced, source }
}

/** Of an installed package; what its owner placed by hand needs nobody's word. */
function keyOfTool({ version, origin }: Tool): GrantKey | undefined {
  if (origin.kind === 'loose' || origin.package.receipt === undefined) return undefined
  return { name: origin.package.name, version, digest: origin.package.receipt.digest }
}

/** Why nothing of a package runs, and the way out; follows a name. */
export function unacceptedWords({ name, permissions }: PackageFacts, version: string): string {
  const asked = effectivePermissions(permissions).join(', ')
  const what = asked === '' ? 'that it runs' : `what it asks for: ${asked}`
  return `is not run: nobody has accepted on this machine ${what}. A person can, with \`orla grant ${name}@v${version}\``
}

/** A request is sent by Orla itself, outside of every sandbox: it goes only where all of it was accepted. */
function withheld({ name, run, origin, version }: Tool, accepted: Accepted | undefined): string | undefined {
  if (run.kind !== 'implementations' || origin.kind === 'loose' || accepted === undefined) return undefined
  if (!run.candidates.some(({ kind }) => kind === 'http')) return undefined
  const words = addedPermissions(accepted.permissions, origin.package.permissions).filter((word) =>
    /^(?:network|secret)\b/.test(word),
  )
  if (words.length === 0) return undefined
  return `\`${name}\` is not run: it needs ${words.join(', ')}, which is not accepted. A person can accept it with \`orla grant ${origin.package.name}@v${version}\``
}

/** The tool and, of a chain, those behind it. */
function involved(tool: Tool, catalog: Catalog): ReadonlySet<Tool> {
  const all = new Set([tool])
  // A set that grows while it is walked is walked to its end.
  for (const { run } of all) {
    if (run.kind !== 'chain') continue
    for (const step of run.steps) {
      const next = catalog.tools.get(step.tool)
      if (next !== undefined) all.add(next)
    }
  }
  return all
}
