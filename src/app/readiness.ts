import type { Readiness } from '../server/index.ts'

/** What clients of a server that starts may ask for by now. */
export interface Opening extends Readiness {
  /** The catalog is there. */
  list(): void
  /** Calls can be carried out. */
  call(): void
}

export function createOpening(): Opening {
  let list = () => {}
  let call = () => {}
  const listable = new Promise<void>((resolve) => {
    list = resolve
  })
  const callable = new Promise<void>((resolve) => {
    call = resolve
  })
  return { listable, callable, list: () => list(), call: () => call() }
}
