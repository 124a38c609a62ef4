import type { JsonObject, McpkgAuth } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { type Flaw, list, object, oneOf, type Shape, text, type ValueOf, words } from '../shape.ts'
import { lenient } from './lenient.ts'
import { type Looking, refine } from './refine.ts'
import { checkUrl, isPlainText } from './url-template.ts'

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
/** Headers that say how a request is sent, not who sends it. */
const RESERVED =
  /^(?:host|connection|te|trailer|upgrade|expect|keep-alive|cookie|(?:content|transfer|accept|proxy|sec)(?:-.*)?)$/i

/** Free for people; these keys mean something to Orla. */
const HINTS = object(
  'Hints for whoever sets it up',
  {
    env: list(
      'Names of the secrets: the token or key, or id and secret of a client',
      text('Name', { pattern: VARIABLE, expected: 'the name of a variable, such as API_KEY' }),
    ),
    header: text('Header that takes an API key', { check: wrongHeader }),
    query: words('Key of the query that takes an API key'),
    tokenUrl: text('Where tokens are asked for', { check: wrongTokenUrl }),
    docsUrl: text('Where to read more'),
  },
  { open: true },
)

type Hints = Partial<ValueOf<typeof HINTS>>

const FIELDS = lenient('Who the endpoint wants to hear from', {
  type: oneOf('How', ['none', 'bearer', 'api_key', 'oauth2']),
  scopes: list('What a token must allow', words('Scope')),
  configHints: keepWritten(HINTS),
})

export const NO_AUTH: McpkgAuth = { type: 'none', scopes: [], env: [], hints: {} }

/** `auth`. */
export const AUTH: Shape<McpkgAuth> = refine(FIELDS, (value, looking) => {
  looking.need('type')
  const { type, scopes = [] } = value
  const { read = {}, written = {} } = value.configHints ?? {}
  if (type === undefined) return undefined
  for (const flaw of shortOf(type, read)) looking.tell(['configHints'], { ...flaw, severity: 'warning' })
  tellIdle(type, read, looking)
  const { header, query, tokenUrl, docsUrl } = read
  return compact<McpkgAuth>({
    type,
    scopes,
    env: read.env ?? [],
    header,
    query: header === undefined ? query : undefined,
    tokenUrl,
    docsUrl,
    hints: written,
  })
})

function keepWritten(shape: typeof HINTS): Shape<{ read: Hints; written: JsonObject }> {
  const { about, schema } = shape
  return {
    about,
    schema,
    fromText: (written) => shape.fromText(written),
    read(value, path, issues) {
      const read = shape.read(value, path, issues)
      return read && { read, written: value as JsonObject } // it was read as an object
    },
  }
}

/** Without the names of its secrets a package is valid, and cannot be called. */
function shortOf(type: McpkgAuth['type'], { env = [], tokenUrl }: Hints): Flaw[] {
  const needed = type === 'none' ? 0 : type === 'oauth2' && tokenUrl !== undefined ? 2 : 1
  if (env.length >= needed) return []
  return [
    needed === 2
      ? {
          message: 'does not name the two secrets of the client, so no token can be asked for',
          hint: 'for example "env": ["CLIENT_ID", "CLIENT_SECRET"]',
        }
      : {
          message: 'does not name the secret, so the endpoint cannot be called',
          hint: 'for example "env": ["API_KEY"]',
        },
  ]
}

function tellIdle(type: McpkgAuth['type'], { header, query, tokenUrl }: Hints, { tell }: Looking): void {
  const warn = (message: string) => tell(['configHints'], { message, severity: 'warning' })
  if (type !== 'api_key' && (header !== undefined || query !== undefined)) {
    warn('has `header` or `query`, which have an effect on api_key only')
  } else if (header !== undefined && query !== undefined) warn('has `header` and `query`; the header is used')
  if (type !== 'oauth2' && tokenUrl !== undefined) warn('has `tokenUrl`, which has an effect on oauth2 only')
}

function wrongHeader(name: string): Flaw | undefined {
  if (!HEADER.test(name))
    return { message: `must be the name of a header, not ${JSON.stringify(name.slice(0, 40))}` }
  return RESERVED.test(name) ? { message: `cannot be ${name}: requests use it for themselves` } : undefined
}

function wrongTokenUrl(url: string): Flaw | undefined {
  const flaw = checkUrl(url)
  if (flaw) return flaw
  return isPlainText(url)
    ? { message: 'must begin with https://, because secrets are sent there' }
    : undefined
}
