import { OrlaError } from '../model/index.ts'
import { checkGitUrl } from '../platform/index.ts'

/**
 * Whether what is cached may stand in: the other side is away, or a folder on this machine is. One that answers
 * and refuses is there, and what it says counts.
 */
export function isUnreachable(error: unknown, url: string): boolean {
  if (!(error instanceof OrlaError)) return false
  return error.code === 'E_NETWORK' || (error.code === 'E_GIT' && checkGitUrl(url).kind === 'file')
}
