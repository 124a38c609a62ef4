import { join } from 'node:path'
import { formatGrants, parseGrants } from '../../formats/index.ts'
import { type Grant, OrlaError } from '../../model/index.ts'
import { nowMs, openStateFile } from '../../platform/index.ts'

/** What this user has accepted, for all projects: `grants.json` in the home of Orla. */
export interface GrantBook {
  /** Throws when the file is damaged. */
  all(): readonly Grant[]
  /** The one of exactly this content; of a damaged file there is none. What others write is seen within milliseconds. */
  find(key: ContentKey): Grant | undefined
  /** Why nothing counts; undefined when the file can be read. */
  damage(): OrlaError | undefined
  /** Looks whether another process has changed something. */
  look(): void
  /** Called when it is seen that something else is accepted, before anything goes by it. */
  onChange(listener: () => void): void
  /** Each in the place of what was there for the same content. */
  add(grants: readonly Grant[]): Promise<void>
  /** What `edit` makes of each; undefined takes it out. */
  change(edit: (grant: Grant) => Grant | undefined): Promise<void>
}

export function openGrants(home: string): GrantBook {
  const file = openStateFile(join(home, 'grants.json'))
  const listeners: (() => void)[] = []
  let known: Known | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  /** Calls come thousandfold in a second; a person does not take back so fast. */
  function current(): Known {
    return known !== undefined && nowMs() - lookedAt < FRESH_MS ? known : look()
  }

  function look(): Known {
    lookedAt = nowMs()
    const stamp = stampOf()
    const before = known
    if (before?.stamp === stamp && before.damage === undefined) return before
    const now = { stamp, ...read() }
    known = now
    if (before !== undefined && before.stamp !== stamp) for (const listener of listeners) listener()
    return now
  }

  /** Whatever keeps the file from being looked at keeps it from granting anything. */
  function stampOf(): string {
    try {
      return file.stamp()
    } catch {
      return 'unreadable'
    }
  }

  function read(): Pick<Known, 'grants' | 'byKey' | 'damage'> {
    try {
      const grants = parse(file.read())
      return { grants, byKey: new Map(grants.map((grant) => [keyOf(grant), grant])) }
    } catch (error) {
      if (!(error instanceof OrlaError)) throw error
      return { grants: [], byKey: new Map(), damage: error }
    }
  }

  function parse(text: string | undefined): readonly Grant[] {
    return text === undefined ? [] : parseGrants(text, file.path)
  }

  return {
    all() {
      const { grants, damage } = look()
      if (damage !== undefined) throw damage
      return grants
    },
    find: (key) => current().byKey.get(keyOf(key)),
    damage: () => current().damage,
    look: () => void look(),
    onChange: (listener) => void listeners.push(listener),
    async add(grants) {
      if (grants.length === 0) return
      const keys = new Set(grants.map(keyOf))
      await file.change((text) =>
        formatGrants([...parse(text).filter((old) => !keys.has(keyOf(old))), ...grants]),
      )
      look()
    },
    async change(edit) {
      await file.change((text) => formatGrants(parse(text).flatMap((grant) => edit(grant) ?? [])))
      look()
    },
  }
}

const FRESH_MS = 2

interface Known {
  readonly stamp: string
  readonly grants: readonly Grant[]
  readonly byKey: ReadonlyMap<string, Grant>
  readonly damage?: OrlaError
}

/** The digest is over the version too. */
export type ContentKey = Pick<Grant, 'name' | 'digest'>

/** No name has a space in it. */
export function keyOf({ name, digest }: ContentKey): string {
  return `${name} ${digest}`
}
