import { NO_VERSION } from '../model/index.ts'

/** In a table: `-` for what has no version. JSON has the version as it is. */
export function shownVersion(version: string): string {
  return version === NO_VERSION ? '-' : version
}
