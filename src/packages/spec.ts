import { checkInstallName, checkPackageName, checkTagWord } from '../formats/index.ts'
import { OrlaError } from '../model/index.ts'
import { shownUrl } from '../platform/index.ts'

/** What was asked for, before anything is looked up. */
export type Spec =
  | {
      readonly kind: 'name'
      readonly name: string
      /** Only this registry; otherwise they are asked in order. */
      readonly registry?: string
      /** A tag, or undefined for the latest stable one. */
      readonly tag?: string
    }
  | { readonly kind: 'git'; readonly url: string; readonly tag?: string }
  /** A folder or archive on this machine. */
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'download'; readonly url: string; readonly sha256?: string }

const ARCHIVE = /\.(?:zip|tgz|tar\.gz|mcpkg)$/i
const URL_LIKE = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/@\s]+@[^/:\s]+:|[\w.-]{2,}:|\[[^/\]\s]+\]:)/i
const PATH_LIKE = /^(?:[.~]{0,2}[/\\]|[a-z]:[/\\]|\.{1,2}$)/i

/**
 * `NAME[@TAG]`, `registry/NAME[@TAG]`, a git URL with an optional `#TAG`, or the URL of an archive. `hint` is the way out
 * where only a name will do.
 */
export function parseSpec(word: string, hint?: string): Spec {
  if (word === '' || word.startsWith('-') || /[\u0000-\u0020\u007f]/.test(word)) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(word)} cannot be a package`, { hint: hint ?? FORMS })
  }
  if (!URL_LIKE.test(word) && /\.mcpkg$/i.test(word)) return { kind: 'local', path: word }
  if (PATH_LIKE.test(word) || (!URL_LIKE.test(word) && ARCHIVE.test(word))) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(word)} is a path, not the name of a package`, {
      hint: hint ?? hintAtPath(word),
    })
  }
  return URL_LIKE.test(word) ? parseUrl(word) : parseName(word, hint)
}

function hintAtPath(word: string): string {
  if (!word.includes('#')) return `for a folder or archive write --local ${word}`
  const whole = word.startsWith('/') ? word : '/PATH#v1.0.0'
  return `for a version of a git repository on this machine write file://${whole}`
}

const FORMS = 'write NAME, NAME@v1.0.0, registry/NAME, a git URL, FILE.mcpkg, or --local PATH'

function parseUrl(word: string): Spec {
  const [address = '', ...fragments] = word.split('#')
  const fragment = fragments.join('#')
  if (/^https?:/i.test(address) && ARCHIVE.test(address.split('?', 1)[0] ?? '')) {
    const [, sha256] = /^sha256=([0-9a-f]{64})$/i.exec(fragment) ?? []
    if (sha256 !== undefined) return { kind: 'download', url: address, sha256: sha256.toLowerCase() }
    if (fragment !== '')
      throw new OrlaError('E_USAGE', 'a checksum is written #sha256= and 64 hexadecimal digits')
    return { kind: 'download', url: address }
  }
  if (fragment === '') return { kind: 'git', url: address }
  return { kind: 'git', url: address, ...tagOf(fragment, `${shownUrl(address)}#`) }
}

function parseName(word: string, hint: string | undefined): Spec {
  const at = word.indexOf('@')
  const path = at === -1 ? word : word.slice(0, at)
  const slash = path.indexOf('/')
  const registry = slash === -1 ? undefined : path.slice(0, slash)
  const name = path.slice(slash + 1)
  for (const [what, text] of [
    ['registry', registry],
    ['package', name],
  ] as const) {
    const check = what === 'package' ? checkInstallName : checkPackageName
    const wrong = text === undefined ? undefined : check(text)
    if (wrong !== undefined) {
      const looksLikePath = /[/\\]/.test(word)
      throw new OrlaError('E_USAGE', `${JSON.stringify(text)} cannot be the name of a ${what}: ${wrong}`, {
        hint: hint ?? (looksLikePath ? `for a folder or archive write --local ${word}` : FORMS),
      })
    }
  }
  const tag = at === -1 ? {} : tagOf(word.slice(at + 1), `${name}@`)
  return { kind: 'name', name, ...(registry === undefined ? {} : { registry }), ...tag }
}

/** `latest` is the same as no tag. `before` is what stands before it on the command line. */
function tagOf(written: string, before: string): { tag?: string } {
  const wrong = checkTagWord(written)
  if (wrong !== undefined) {
    const hint = /^\d/.test(written) ? { hint: `type ${before}v${written}` } : {}
    throw new OrlaError('E_USAGE', `${JSON.stringify(written)} cannot be a tag: ${wrong}`, hint)
  }
  return written === 'latest' ? {} : { tag: written }
}
