import { type Log, OrlaError, type SandboxSettings } from '../../model/index.ts'
import type { SandboxHost } from '../../platform/index.ts'
import type { Means } from './means.ts'

/** What a server has to say about its sandbox before it serves. Throws where it must not. */
export async function checkPolicy(settings: SandboxSettings, means: Means, log: Log): Promise<void> {
  const { mode } = settings
  if (mode === 'off') {
    log.warn('packages run without a sandbox', { sandbox: 'off', hint: 'set `sandbox: auto`' })
  }
  if (mode !== 'require') return
  const host = await means.host()
  if (usable(host, settings).length > 0) return
  throw new OrlaError(
    'E_REFUSED',
    `nothing here can hold packages to their permissions, and \`sandbox\` is require`,
    {
      hint: `${whatToDo(host)}set \`sandbox: auto\``,
    },
  )
}

export const INSTALL = '`apt-get install bubblewrap`'

function whatToDo(host: SandboxHost): string {
  const { missing = {} } = host
  const why = Object.values(missing).join('; ')
  return isMac(host) ? `${missing.seatbelt ?? NOT_ENOUGH}: ` : `${INSTALL} (${why}), or `
}

/** Whether the host was found to be one. */
export function isMac({ seatbelt, missing = {} }: SandboxHost): boolean {
  return seatbelt !== undefined || missing.seatbelt !== undefined
}

export const NOT_ENOUGH = 'seatbelt filters no system calls, and so is not enough for `require`'

/** Means of the host that the settings let be used. What `require` asks for, Seatbelt never holds all of. */
export function usable({ tiers }: SandboxHost, { mode, tier }: SandboxSettings): SandboxHost['tiers'] {
  return tiers
    .filter(({ backend }) => backend !== 'none' && (tier === 'auto' || backend === tier))
    .filter(({ backend }) => mode !== 'require' || backend !== 'seatbelt')
}
