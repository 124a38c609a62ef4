import { escapeControls } from '../../model/index.ts'
import type { Flaw } from '../shape.ts'

/** `https://host/a/{id}?b=c`, taken apart. */
export interface UrlTemplate {
  /** Scheme, host and port as written. */
  readonly base: string
  readonly path: string
  /** With its question mark; empty when there is none. */
  readonly query: string
  /** The arguments its path takes, in order. */
  readonly names: readonly string[]
}

const PARTS = /^(https?:\/\/[^/?#\\]+)([^?#]*)(\?[^#]*)?$/i
const MAX_LENGTH = 8192
export const PLACEHOLDER = /\{([A-Za-z0-9_.-]+)\}/g

export function parseUrlTemplate(url: string): UrlTemplate | { readonly problem: Flaw } {
  const flaw = checkUrl(url)
  if (flaw) return { problem: flaw }
  const [, base = '', path = '', query = ''] = PARTS.exec(url) ?? []
  const names = [...path.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  if (/[{}]/.test(base + query)) {
    return wrong(
      'may have {name} in its path only',
      'arguments that are not in the path are sent by themselves',
    )
  }
  if (/[{}]/.test(path.replace(PLACEHOLDER, ''))) return wrong('has a { or } that is not part of a {name}')
  return { base, path: path || '/', query, names }
}

/** Why a text cannot be the URL of something Orla talks to; undefined when it can. */
export function checkUrl(url: string): Flaw | undefined {
  const must = 'must be a URL that begins with https:// or http://'
  if (url.length > MAX_LENGTH) return { message: `must not be longer than ${MAX_LENGTH} characters` }
  if (escapeControls(url) !== url || /\s/.test(url)) {
    return { message: `${must}, without spaces and control characters` }
  }
  if (url.includes('#')) return { message: 'must not have a # part: it is never sent' }
  const known = PARTS.test(url) && URL.canParse(url) ? new URL(url) : undefined
  if (known === undefined) return { message: `${must}, not ${JSON.stringify(url.slice(0, 80))}` }
  if (known.username !== '' || known.password !== '') {
    return { message: 'must not have a password in it', hint: 'say what it needs below `auth`' }
  }
  return undefined
}

/** Whether what is sent there can be read on the way. */
export function isPlainText(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  return protocol === 'http:' && !isHere
}

function wrong(message: string, hint?: string): { readonly problem: Flaw } {
  return { problem: hint === undefined ? { message } : { message, hint } }
}
