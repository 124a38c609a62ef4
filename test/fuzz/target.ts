/** Something that takes bytes from strangers. */
export interface Target {
  readonly name: string
  /** What it is meant to be given; everything else is made from these. */
  readonly seeds: () => readonly Buffer[]
  /** Throws when a promise is broken. What it returns tells how far an input came: `good` counts as accepted. */
  readonly check: (input: Buffer) => Promise<Verdict> | Verdict
  /** No input may take longer, on a machine that does nothing else. */
  readonly mostMs: number
  readonly close?: () => Promise<void>
}

export type Verdict = 'accepted' | 'refused'

/** Fails the input that is being checked. */
export function promise(kept: boolean, what: string): asserts kept {
  if (!kept) throw new Error(`a promise is broken: ${what}`)
}
