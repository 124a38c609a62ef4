import { type Config, OrlaError, type TokenConfig } from '../model/index.ts'
import { readKeyFile } from '../platform/index.ts'
import {
  type Credentials,
  checkTls,
  mayBeAsked,
  type NamedToken,
  type OAuthSettings,
  refuseExposure,
  type TlsMaterial,
} from '../server/index.ts'
import { othersMayRead } from './others-may-read.ts'
import type { World } from './world.ts'

/** What the HTTP server lets clients in by, read from where the configuration says it is. */
export interface HttpAccess {
  readonly credentials: Credentials
  readonly tls: TlsMaterial | undefined
  /** What is not wrong, but not good either. */
  readonly warnings: readonly Warning[]
}

interface Warning {
  readonly message: string
  readonly hint: string
}

export async function readHttpAccess(world: World, config: Config): Promise<HttpAccess> {
  if (config.transport !== 'http') return { credentials: { token: null }, tls: undefined, warnings: [] }
  const warnings: Warning[] = []
  const tokens = config.auth.tokens.map((entry) => readToken(world, entry, warnings))
  const oauth = readOAuth(config)
  return {
    credentials: { token: config.token, tokens, ...(oauth && { oauth }) },
    tls: await readTls(config, warnings),
    warnings,
  }
}

/** For a server that runs: who opens `host` to others by taking its tokens away is refused. */
export async function renewHttpAccess(
  world: World,
  next: Config,
  { host, insecure }: { readonly host: string; readonly insecure: boolean },
): Promise<HttpAccess> {
  const access = await readHttpAccess(world, next)
  if (next.transport === 'http') refuseExposure(host, access.credentials, insecure)
  return access
}

/** What must not be read in a log. */
export function tokensOf({ credentials }: HttpAccess): readonly string[] {
  const { token, tokens = [] } = credentials
  return [...(token ? [token] : []), ...tokens.map((named) => named.token)]
}

function readToken(world: World, entry: TokenConfig, warnings: Warning[]): NamedToken {
  const { name, tools } = entry
  return { name, token: tokenOf(world, entry, warnings), ...(tools && { tools }) }
}

function tokenOf(world: World, entry: TokenConfig, warnings: Warning[]): string {
  const { name, token, token_file: file, env } = entry
  if (token !== undefined) return usable(token, name, 'auth.tokens')
  if (env !== undefined) return usable(world.env[env] ?? '', name, `the variable ${env}`)
  const read = readKeyFile(file ?? '')
  if (typeof read === 'string')
    throw new OrlaError('E_CONFIG', `cannot read the token of \`${name}\` from ${file}: ${read}`, {
      hint: 'write the token into that file, for its owner alone: chmod 600',
    })
  if (read.isShared) warnings.push(othersMayRead('token', file ?? ''))
  return usable(read.text.trim(), name, file ?? '')
}

function usable(token: string, name: string, where: string): string {
  if (/^\S+$/.test(token)) return token
  const what = token === '' ? 'there is no token' : 'the token has spaces'
  throw new OrlaError('E_CONFIG', `${what} for \`${name}\` in ${where}`, {
    hint: 'for example what `openssl rand -hex 32` prints',
  })
}

function readOAuth({ auth }: Config): OAuthSettings | undefined {
  const { issuer, audience, resource, scopes } = auth
  if (issuer === null) {
    const idle = Object.entries({ audience, resource, scopes }).find(([, value]) => value !== null)
    if (!idle) return undefined
    throw new OrlaError('E_CONFIG', `auth.${idle[0]} has no effect without auth.issuer`, {
      hint: 'name the issuer of access tokens, or leave it out',
    })
  }
  if (audience === null)
    throw new OrlaError('E_CONFIG', 'auth.issuer needs auth.audience', {
      hint: 'the audience that the issuer writes into tokens for this server; without it, tokens for others would count here',
    })
  if (!mayBeAsked(issuer))
    throw new OrlaError('E_CONFIG', `auth.issuer ${issuer} is not protected on its way`, {
      hint: 'use https://; http:// is for an issuer on this machine',
    })
  return { issuer, audience, ...(resource !== null && { resource }), ...(scopes && { scopes }) }
}

async function readTls({ tls }: Config, warnings: Warning[]): Promise<TlsMaterial | undefined> {
  const { cert, key } = tls
  if (cert === null && key === null) return undefined
  if (cert === null || key === null) {
    const [given, missing] = cert === null ? ['key', 'cert'] : ['cert', 'key']
    throw new OrlaError('E_CONFIG', `tls.${given} needs tls.${missing}`, {
      hint: 'the files of the certificate and of its private key, both as PEM',
    })
  }
  const secret = readPem(key, 'tls.key')
  const material = { cert: readPem(cert, 'tls.cert').text, key: secret.text }
  const { expires } = await checkTls(material)
  if (secret.isShared) warnings.push(othersMayRead('private key', key))
  if (expires.getTime() < Date.now())
    warnings.push({
      message: `the certificate ${cert} expired on ${expires.toISOString().slice(0, 10)}`,
      hint: 'clients refuse it; put a new one in its place and run `orla reload`',
    })
  return material
}

function readPem(file: string, setting: string) {
  const read = readKeyFile(file)
  if (typeof read !== 'string') return read
  throw new OrlaError('E_TLS', `cannot read ${setting} ${file}: ${read}`, {
    hint: 'it is resolved against the folder of the file that names it',
  })
}
