import { join } from 'node:path'
import type { SandboxLimits, SandboxSettings } from '../../model/index.ts'
import { loadSandbox, makeFolder, type SandboxedStarter, type SandboxHost } from '../../platform/index.ts'
import type { Hold } from '../../runtime/index.ts'
import type { Starters } from '../starter.ts'

/** What this host holds programs back with. Nothing of it is loaded or looked at before someone asks. */
export interface Means {
  kit(): ReturnType<typeof loadSandbox>
  /** What the host can do, whatever the settings make of it. */
  host(): Promise<SandboxHost>
  /** Holds programs as the settings want it. */
  starterFor(settings: SandboxSettings): Promise<SandboxedStarter>
  /** Holds a program to limits and nothing else; undefined when there are none, or nobody to set them. */
  limited(limits: SandboxLimits): Hold | undefined
}

export function openMeans({ starter, launcher }: Starters, home: string): Means {
  const withLauncher = launcher && { launcher }
  const made = new Map<string, Promise<SandboxedStarter>>()
  let probed: Promise<SandboxHost> | undefined

  function host(): Promise<SandboxHost> {
    probed ??= loadSandbox().then(({ probeTiers }) =>
      probeTiers({ starter, folder: folderOf(home, 'cache'), ...withLauncher }),
    )
    return probed
  }

  async function counting() {
    return (await host()).tiers[0]?.counting ?? 'none'
  }

  async function make({ mode, tier }: SandboxSettings): Promise<SandboxedStarter> {
    const { createSandboxedStarter } = await loadSandbox()
    const probe = async (): Promise<SandboxHost> => {
      const all = await host()
      return {
        ...all,
        tiers: all.tiers.filter(({ backend }) => {
          if (backend === 'none') return true
          return mode !== 'off' && (tier === 'auto' || backend === tier)
        }),
      }
    }
    return createSandboxedStarter({ starter, probe, folder: folderOf(home, 'run'), ...withLauncher })
  }

  return {
    kit: loadSandbox,
    host,
    starterFor(settings) {
      const key = `${settings.mode} ${settings.tier}`
      const known = made.get(key) ?? make(settings)
      made.set(key, known)
      return known
    },
    limited(limits) {
      if (launcher === undefined || Object.keys(limits).length === 0) return undefined
      const limited = loadSandbox().then(({ createLimitedStarter }) =>
        createLimitedStarter({ launcher, limits, counting }),
      )
      return {
        limits,
        starter: {
          run: async (request) => (await limited).run(request),
          open: async (request) => (await limited).open(request),
        },
        denied: async () => undefined,
        confinement: () => undefined,
      }
    },
  }
}

function folderOf(home: string, kind: 'cache' | 'run'): string {
  const folder = join(home, kind, 'sandbox')
  makeFolder(folder)
  return folder
}
