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
      hint: `${INSTALL} (${Object.values(host.missing ?? {}).join('; ')}), or set \`sandbox: auto\``,
    },
  )
}

export const INSTALL = '`apt-get install bubblewrap`'

/** Means of the host that the settings let be used. */
export function usable({ tiers }: SandboxHost, { tier }: SandboxSettings): SandboxHost['tiers'] {
  return tiers.filter(({ backend }) => backend !== 'none' && (tier === 'auto' || backend === tier))
}
