import type { Unsettled } from '../../platform/index.ts'

/** For whoever reads what a program said: what it made in the project and what is not there. */
export function unsettledLines({ refused, stranded, folder }: Unsettled): readonly string[] {
  return [
    ...refused.map((name) => `${quoted(name)} is protected: what was made there is not kept`),
    ...stranded.map(
      (name) => `something else lies at ${quoted(name)}: what was made there is in ${folder} instead`,
    ),
  ].map((line) => `orla: ${line}`)
}

/** A name may hold whatever its maker liked. */
function quoted(name: string): string {
  return JSON.stringify(name)
}
