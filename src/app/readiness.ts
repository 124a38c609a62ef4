import type { Readiness } from '../server/index.ts'

/** What clients of a server that starts may ask for by now. */
export interface Preparation extends Readiness {
  /** The catalog is there. */
  canList(): void
  /** Calls can be carried out. */
  canCall(): void
}

export function createReadiness(): Preparation {
  let list = () => {}
  let call = () => {}
  const listable = new Promise<void>((resolve) => {
    list = resolve
  })
  const callable = new Promise<void>((resolve) => {
    call = resolve
  })
  return { listable, callable, canList: () => list(), canCall: () => call() }
}
