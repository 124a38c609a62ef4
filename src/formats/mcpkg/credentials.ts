import type { McpkgAuth } from '../../model/index.ts'
import type { Flaw } from '../shape.ts'
import type { HttpRequest } from './http-request.ts'

/** The value of a secret by its name; undefined when nobody set it. */
export type FindSecret = (name: string) => string | undefined

/** What a request says about who sends it. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly tokenRequest?: HttpRequest
  readonly sensitive: readonly string[]
  readonly problems: readonly Flaw[]
}

const DEFAULT_HEADER = 'X-API-Key'
const NOBODY: Credentials = { headers: {}, query: {}, sensitive: [], problems: [] }

export function credentialsOf(auth: McpkgAuth, findSecret: FindSecret): Credentials {
  if (auth.type === 'none') return NOBODY
  const isClient = auth.type === 'oauth2' && auth.tokenUrl !== undefined
  const { values, problems } = readSecrets(auth, isClient ? 2 : 1, findSecret)
  const [first = '', second = ''] = values
  if (problems.length > 0) return { ...NOBODY, problems }
  if (auth.type === 'api_key') {
    const { query, header = DEFAULT_HEADER } = auth
    return query === undefined
      ? { ...NOBODY, headers: { [header.toLowerCase()]: first }, sensitive: values }
      : { ...NOBODY, query: { [query]: first }, sensitive: values }
  }
  if (isClient) {
    const basic = btoa(`${encodeForm(first)}:${encodeForm(second)}`)
    return { ...NOBODY, tokenRequest: tokenRequestOf(auth, basic), sensitive: [second, basic] }
  }
  // Without a token URL, oauth2 is a token that somebody got elsewhere.
  return { ...NOBODY, headers: { authorization: `Bearer ${first}` }, sensitive: values }
}

/** Client credentials (RFC 6749 §4.4). */
function tokenRequestOf({ tokenUrl = '', scopes }: McpkgAuth, basic: string): HttpRequest {
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scopes.length > 0) form.set('scope', scopes.join(' '))
  return {
    method: 'POST',
    url: new URL(tokenUrl).href,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${basic}`,
    },
    body: form.toString(),
  }
}

function readSecrets(
  { env, docsUrl, type }: McpkgAuth,
  count: number,
  findSecret: FindSecret,
): { readonly values: readonly string[]; readonly problems: readonly Flaw[] } {
  const names = env.slice(0, count)
  if (names.length < count) {
    const message = `the package wants ${type} and does not name ${count === 1 ? 'the secret' : 'both secrets'}`
    return { values: [], problems: [{ message, hint: 'its manifest should have auth.configHints.env' }] }
  }
  const values = names.map((name) => findSecret(name)?.trim() ?? '')
  const problems = names.flatMap((name, index) => {
    const value = values[index] ?? ''
    if (value === '') {
      const where = docsUrl === undefined ? '' : `; see ${docsUrl}`
      return [
        {
          message: `the secret \`${name}\` is not set`,
          hint: `orla secret set ${name}, or the variable ${name}${where}`,
        },
      ]
    }
    // A line break here would be a header of its own.
    return /^[\x20-\x7e]+$/.test(value)
      ? []
      : [{ message: `the secret \`${name}\` has characters that cannot be sent` }]
  })
  return { values, problems }
}

/** RFC 6749 §2.3.1 wants id and secret encoded like a form before they are joined. */
function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}
