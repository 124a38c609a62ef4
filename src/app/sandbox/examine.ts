import { type Config, nameTier } from '../../model/index.ts'
import type { SandboxHost } from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { Check } from '../doctor.ts'
import type { World } from '../world.ts'
import { openConfinement } from './open.ts'
import { INSTALL, isMac, NOT_ENOUGH, usable } from './policy.ts'

/** What this host holds packages back with, tier by tier, and what becomes of that under the settings. */
export async function examineSandbox(world: World, loaded: LoadedConfig): Promise<Check[]> {
  const { means, close } = openConfinement(world, loaded)
  try {
    return checksOf(await means.host(), loaded.config)
  } catch (error) {
    const message = `cannot be looked at: ${(error as Error).message}`
    return [{ name: 'sandbox', state: 'warns', message, hint: `is ${loaded.home} writable?` }]
  } finally {
    await close()
  }
}

export function checksOf(host: SandboxHost, config: Pick<Config, 'sandbox'>): Check[] {
  return [inForce(host, config), ...tiersOf(host)]
}

function inForce(host: SandboxHost, { sandbox }: Pick<Config, 'sandbox'>): Check {
  const { mode, loose } = sandbox
  const [first] = usable(host, sandbox)
  if (mode === 'off') {
    return {
      name: 'sandbox',
      state: 'warns',
      message: 'off: packages run as you, held to nothing',
      hint: 'set `sandbox: auto`',
    }
  }
  const own = loose ? '' : '; your own tools in the tools folder run as you'
  if (first !== undefined) {
    return {
      name: 'sandbox',
      state: 'ok',
      message: `${mode}: packages are held by ${nameTier(first.backend)}${own}`,
    }
  }
  return {
    name: 'sandbox',
    state: mode === 'require' ? 'fails' : 'warns',
    message:
      mode === 'require'
        ? 'require: nothing here can hold packages'
        : 'nothing here can hold packages; they run only where someone accepted that',
    hint: isMac(host) ? (host.missing?.seatbelt ?? NOT_ENOUGH) : INSTALL,
  }
}

function tiersOf(host: SandboxHost): Check[] {
  return [...(isMac(host) ? [seatbeltOf(host)] : tiersOfLinux(host)), ...limitsOf(host.tiers)]
}

function seatbeltOf({ seatbelt, missing = {} }: SandboxHost): Check {
  const name = 'sandbox seatbelt'
  if (seatbelt === undefined) {
    const hint = 'packages run only where someone accepted that nothing holds them'
    return { name, state: 'warns', message: missing.seatbelt ?? 'not here', hint }
  }
  return {
    name,
    state: 'ok',
    message: `${seatbelt.path}: files, network, sockets, processes; not metadata, not single hosts, not kernel interfaces`,
  }
}

function tiersOfLinux({ tiers, bwrap, missing = {} }: SandboxHost): Check[] {
  const landlock = tiers.find(({ backend }) => backend === 'landlock')
  return [
    bwrap === undefined
      ? {
          name: 'sandbox bwrap',
          state: 'warns',
          message: missing.bwrap ?? 'not here',
          hint: missing.bwrap?.includes('not installed')
            ? INSTALL
            : 'it takes user namespaces: see kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns, or the settings of the container',
        }
      : {
          name: 'sandbox bwrap',
          state: 'ok',
          message: `${bwrap.path}: files and their metadata, network, single hosts, sockets, processes`,
        },
    landlock === undefined
      ? {
          name: 'sandbox landlock',
          state: 'warns',
          message: missing.landlock || 'not here',
          hint: 'it takes the launcher, and Linux 6.2 or newer with Landlock',
        }
      : {
          name: 'sandbox landlock',
          state: 'ok',
          message: `version ${landlock.landlock}: files, network, sockets${landlock.landlock < 6 ? '' : ', processes'}; not metadata, not single hosts`,
        },
  ]
}

function limitsOf(tiers: SandboxHost['tiers']): Check[] {
  const [first] = tiers
  if (first === undefined || !first.launcher) {
    return [{ name: 'limits', state: 'warns', message: 'only time and output: the others take the launcher' }]
  }
  const all = 'time, output, processor time, memory, size of files'
  return [
    first.counting === 'none'
      ? {
          name: 'limits',
          state: 'ok',
          message: `${all}; not the number of processes, which the system counts for root only in a control group, and none can be made here`,
        }
      : { name: 'limits', state: 'ok', message: `${all}, number of processes` },
  ]
}
