import { OrlaError } from '../model/index.ts'
import { whyNotWritable } from '../platform/index.ts'
import type { LoadedConfig } from './config.ts'
import type { Check } from './doctor.ts'
import { type HttpAccess, readHttpAccess } from './http-access.ts'
import type { World } from './world.ts'

/** What lets clients in, and what is written down about them. */
export async function checkAccess(world: World, { config }: LoadedConfig): Promise<Check[]> {
  try {
    const access = await readHttpAccess(world, config)
    return [...describe(access), ...checkAudit(config.audit.file)]
  } catch (error) {
    if (!(error instanceof OrlaError)) throw error
    const { message, hint } = error
    return [{ name: 'access', state: 'fails', message, ...(hint !== undefined && { hint }) }]
  }
}

function describe({ credentials, tls, warnings }: HttpAccess): Check[] {
  const { tokens = [], oauth } = credentials
  const ways = [
    ...(tls ? ['HTTPS'] : []),
    ...(oauth ? [`access tokens of ${oauth.issuer}`] : []),
    ...(tokens.length > 0 ? [`tokens of ${tokens.map(({ name }) => name).join(', ')}`] : []),
  ]
  const good: Check[] = ways.length === 0 ? [] : [{ name: 'access', state: 'ok', message: ways.join('; ') }]
  return [...good, ...warnings.map((warning): Check => ({ name: 'access', state: 'warns', ...warning }))]
}

function checkAudit(file: string | null): Check[] {
  if (file === null) return []
  const problem = whyNotWritable(file)
  if (problem === undefined) return [{ name: 'audit', state: 'ok', message: file }]
  const message = `${file} cannot be written: ${problem}`
  return [{ name: 'audit', state: 'fails', message, hint: 'choose another audit file, or leave it out' }]
}
