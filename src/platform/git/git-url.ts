import { isAbsolute, resolve } from 'node:path'
import { OrlaError, oneLine } from '../../model/index.ts'
import { isLoopbackHost } from '../address.ts'
import { shownUrl } from '../shown-url.ts'

/** An address that may be given to git. */
export interface GitUrl {
  /** Without password; a local path is absolute. */
  readonly url: string
  readonly kind: 'https' | 'http' | 'ssh' | 'file'
  /** What stood before the host of a web address. */
  readonly credential?: Credential
}

export interface Credential {
  readonly user: string
  readonly password: string
}

/**
 * Judges an address before git sees it: git also takes addresses that run programs (`ext::`), and options in
 * their place. A relative path is below `cwd`; without one it is refused.
 */
export function checkGitUrl(text: string, cwd?: string): GitUrl {
  if (text === '' || text.length > LONGEST || oneLine(text) !== text || text !== text.trim())
    throw refuse(text, 'is not an address')
  if (text.startsWith('-')) throw refuse(text, 'looks like an option')
  if (/^[A-Za-z0-9+.-]*::/.test(text)) throw refuse(text, 'would run a program on this machine')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined) return checkUrl(text, scheme)
  const scp = /^((?:[^/:@[\]]+@)?\[[^\]/]*\]|[^/:]+):(?!\/\/)(.+)$/.exec(text)
  if (scp !== null) return checkScp(text, scp[1] ?? '', scp[2] ?? '')
  if (isAbsolute(text)) return { url: resolve(text), kind: 'file' }
  if (cwd === undefined) throw refuse(text, 'is a relative path')
  return { url: resolve(cwd, text), kind: 'file' }
}

/** Scheme, host and port of a web address, which is what a password belongs to; undefined for others. */
export function originOf(url: string): string | undefined {
  return /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : undefined
}

const LONGEST = 2_000

function checkUrl(text: string, scheme: string): GitUrl {
  if (!URL.canParse(text) || text.includes('\\') || text.includes('#'))
    throw refuse(text, 'is not an address')
  const url = new URL(text)
  if (url.hostname.startsWith('-')) throw refuse(text, 'has a host that looks like an option')
  switch (scheme) {
    case 'https':
      return checkWeb(url, 'https')
    case 'http':
      if (isLoopbackHost(url.hostname)) return checkWeb(url, 'http')
      throw refuse(
        text,
        'is not protected on its way',
        'Use https://; http:// is taken on this machine only.',
      )
    case 'ssh':
    case 'git+ssh':
    case 'ssh+git':
      return checkSsh(text.slice(scheme.length))
    case 'file':
      if (url.hostname !== '' || url.pathname === '/') throw refuse(text, 'is not a local folder')
      return { url: url.href, kind: 'file' }
    default:
      throw refuse(text, `has a scheme (${scheme}) that Orla does not take`)
  }
}

function checkWeb(url: URL, kind: 'https' | 'http'): GitUrl {
  const user = decode(url.username)
  const password = decode(url.password)
  url.username = ''
  url.password = ''
  // git takes the text apart by itself: it gets what was judged here, spelled the plain way.
  return { url: url.href, kind, ...(password === '' ? {} : { credential: { user, password } }) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** ssh reads the words before the path as options when they look like some. Passwords it does not take. */
function checkSsh(rest: string): GitUrl {
  const parts = /^:\/\/(?:([^/:@]+)(?::[^/@]*)?@)?(\[[0-9a-f:.]+\]|[^/:@]+)(:\d+)?(\/.*)$/i.exec(rest)
  const [, user, host = '', port = '', path = ''] = parts ?? []
  if (!isSshPlace(user, host) || path.startsWith('/-')) throw refuse(`ssh${rest}`, 'is not an ssh address')
  return { url: `ssh://${user === undefined ? '' : `${user}@`}${host}${port}${path}`, kind: 'ssh' }
}

function checkScp(text: string, place: string, path: string): GitUrl {
  const [, user, host = ''] = /^(?:([^@]+)@)?([^@]+)$/.exec(place) ?? []
  if (!isSshPlace(user, host) || path.startsWith('-')) throw refuse(text, 'is not an ssh address')
  return { url: text, kind: 'ssh' }
}

function isSshPlace(user: string | undefined, host: string): boolean {
  // In brackets git takes an address with colons, and also `host:port`.
  const isHost = /^(?:\[(?:[0-9a-f:.]+|\w[\w.-]*:\d+)\]|\w[\w.-]*)$/i.test(host)
  return isHost && (user === undefined || /^\w[\w.+-]*$/.test(user))
}

function refuse(text: string, why: string, hint = HINT): OrlaError {
  return new OrlaError('E_SOURCE', `${JSON.stringify(oneLine(shownUrl(text.slice(0, 200))))} ${why}`, {
    hint,
  })
}

const HINT = 'Orla takes https://…, ssh://…, user@host:path, file:///… and paths.'
