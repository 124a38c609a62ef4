import type { SandboxBackend } from './sandbox.ts'

/** What holds a program, for people. Of one that nobody has seen hold more than a trial, that is said. */
export function nameTier(backend: SandboxBackend): string {
  if (backend === 'none') return 'nothing'
  return backend === 'seatbelt' ? `seatbelt (${UNTESTED})` : backend
}

const UNTESTED = 'untested: it held a trial on this Mac, but the tests of Orla have not run on one'
