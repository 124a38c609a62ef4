import { SandboxRefusal } from '../refusal.ts'

/**
 * A path as a string of the policy. Only these two characters mean anything in one, so no name of a file can end it.
 * Everything else, a line break too, stands for itself. Throws a `SandboxRefusal` for what is no name of a file: as
 * another name it would leave open what it was to close.
 */
export function quoted(path: string): string {
  if (!path.isWellFormed() || path.includes('\0')) {
    throw new SandboxRefusal(`${JSON.stringify(path)} is no path that a policy could name`)
  }
  return `"${path.replace(/["\\]/g, '\\$&')}"`
}
