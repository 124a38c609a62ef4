import { OrlaError } from '../../model/index.ts'
import { type Credential, checkGitUrl, type GitUrl } from './git-url.ts'

export interface RemoteOptions {
  /** A password for the host of a web address, and for no other. */
  readonly token?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** A judged address with what opens it. */
export interface Remote extends GitUrl {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export function toRemote(url: string, { token, ...options }: RemoteOptions): Remote {
  const checked = checkGitUrl(url)
  const isWeb = checked.kind === 'https' || checked.kind === 'http'
  const credential = token === undefined || token === '' || !isWeb ? checked.credential : asCredential(token)
  return { ...checked, ...options, ...(credential === undefined ? {} : { credential }) }
}

/** Servers that take a token as a password take any user, or ask for this one. */
function asCredential(token: string): Credential {
  if (/[\0\r\n]/.test(token))
    throw new OrlaError('E_SOURCE', 'the token contains a line break', { hint: 'set it to the token alone' })
  return { user: 'x-access-token', password: token }
}
