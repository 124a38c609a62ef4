import type { Consent } from '../server/index.ts'

/** Finds out who is to be asked when it comes to that: clients are greeted before it is known. */
export function lateConsent(find: () => Consent | undefined): Consent {
  function consent(): Consent {
    const found = find()
    if (found === undefined) throw new Error('the person behind this client is not the one to ask')
    return found
  }
  return {
    get waitMs() {
      return consent().waitMs
    },
    get signal() {
      return consent().signal
    },
    isNeeded: (tool, catalog) => consent().isNeeded(tool, catalog),
    question: (tool, catalog, caller) => consent().question(tool, catalog, caller),
  }
}
