import type { AuditConfig, TokenConfig } from '../model/index.ts'
import {
  bool,
  type Flaw,
  integer,
  list,
  map,
  object,
  oneOf,
  type Path,
  path,
  required,
  type Shape,
  text,
  words,
} from './shape.ts'

/** Names of tools as they are, or with `*` for any run of characters. */
const TOOL_PATTERN = text('Name of a tool; * stands for any characters', {
  pattern: /^[A-Za-z0-9_.*-]{1,128}$/,
  expected: 'the name of a tool, or a pattern such as fs.*',
})

const TOKEN_SOURCES = ['token', 'token_file', 'env'] as const

const tokens = list(
  'Tokens for single clients, each with the tools it opens',
  object('A token', {
    name: required(
      text('Name of the client, for limits, log and audit', {
        pattern: /^[A-Za-z0-9_.@-]{1,64}$/,
        expected: 'a name of 1 to 64 letters, digits, _, ., @ and -',
      }),
    ),
    token: words('The token itself'),
    token_file: text('File that holds the token', { pattern: /^[^\0]+$/, expected: 'a path' }),
    env: text('Variable that holds the token', {
      pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
      expected: 'the name of a variable',
    }),
    tools: list('Tools it opens; all of them when left out', TOOL_PATTERN),
  }),
)

/** Each with a name of its own and exactly one place for its token. */
const TOKENS: Shape<readonly TokenConfig[]> = {
  ...tokens,
  read(value, at, issues) {
    const read = tokens.read(value, at, issues)
    read?.forEach((entry, index) => {
      const flaw = flawOf(entry, read.findIndex(({ name }) => name === entry.name) < index)
      if (flaw) issues.push({ path: [...at, index], ...flaw })
    })
    return read
  },
}

function flawOf(entry: TokenConfig, isTwin: boolean): Flaw | undefined {
  if (isTwin) return { message: `\`${entry.name}\` stands here twice` }
  const given = TOKEN_SOURCES.filter((source) => entry[source] !== undefined)
  if (given.length === 1) return undefined
  return { message: `\`${entry.name}\` must have exactly one of ${TOKEN_SOURCES.join(', ')}` }
}

const URL_OPTIONS = { pattern: /^https?:\/\/[^\s#]+$/, expected: 'an address that begins with https://' }

export const AUTH = object('Who may call', {
  token: text('Bearer token that HTTP clients must send'),
  tokens: TOKENS,
  issuer: text('OAuth 2.1 issuer whose access tokens are taken', URL_OPTIONS),
  audience: words('What the audience of an access token must contain'),
  resource: text('URL under which clients reach this server, when it is behind a proxy', URL_OPTIONS),
  scopes: map(
    'Tools that each scope opens; without it every access token opens all of them',
    list('Tools it opens', TOOL_PATTERN),
    // What RFC 6749 allows in a scope: it is repeated in headers.
    (scope) =>
      /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/.test(scope)
        ? undefined
        : { message: `${JSON.stringify(scope)} cannot be the name of a scope` },
  ),
})

export const TLS = object('HTTPS instead of HTTP', {
  cert: path('Certificate with its chain, as PEM'),
  key: path('Private key of the certificate, as PEM'),
})

export const HOSTS = list(
  'Names besides its own that the HTTP server answers to, such as that of a proxy',
  text('Name, with its port if that is not the default', {
    pattern: /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/,
    expected: 'a name such as tools.example.com',
  }),
)

export const CLIENT_LIMITS = object('Bounds of each HTTP client', {
  rate: integer('Requests a second of one client, on average over ten seconds', { min: 1, max: 100_000 }),
  concurrency: integer('Calls of one client running at once', { min: 1, max: 10_000 }),
})

const audit = object('Record of every call', {
  file: path('File to which a line is added for each call'),
  arguments: oneOf('Whether arguments are recorded or only told apart', ['hash', 'full']),
  required: bool('Refuse calls that cannot be recorded'),
})

type AuditFile = Partial<Omit<AuditConfig, 'file'> & { file: string }>

/** `audit: FILE` is short for `audit: {file: FILE}`. */
export const AUDIT: Shape<AuditFile> & { readonly fields: typeof audit.fields } = {
  ...audit,
  schema: () => ({ anyOf: [{ type: 'string', description: audit.about }, audit.schema()] }),
  read: (value: unknown, at: Path, issues) =>
    audit.read(typeof value === 'string' ? { file: value } : value, at, issues),
}
