import type { Pin } from './package.ts'

/** What a person accepted for one package, exactly as it was then. Kept in the user's state, never in a project. */
export interface Grant {
  readonly name: string
  readonly version: string
  /** Of the content, as in the receipt. */
  readonly digest: string
  /** Where it came from, when the install itself saw it; a receipt alone proves nothing to the next version. */
  readonly pin?: Pin
  /** The permission words. A package whose manifest does not have the key is accepted as `filesystem:write:./`. */
  readonly permissions: readonly string[]
  /** What the host could not hold it to, as the plan said. */
  readonly unenforced: readonly string[]
  readonly accepted_at: string
  readonly how: GrantManner
}

/** `unasked`: nothing in it was new, or it asks for nothing beyond its own folder. */
export type GrantManner = 'prompt' | '--yes' | 'grant' | 'elicitation' | 'unasked'

/** Which package, exactly. */
export type GrantKey = Pick<Grant, 'name' | 'version' | 'digest'>
