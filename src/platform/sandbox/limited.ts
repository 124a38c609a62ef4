import type { SandboxLimits } from '../../model/index.ts'
import type { LauncherStarter } from '../process/launcher/starter.ts'
import { type Counting, holdLimits } from './hold-limits.ts'
import { notStarted, refused } from './refusal.ts'

export interface LimitedDeps {
  readonly launcher: LauncherStarter
  readonly limits: SandboxLimits
  /** Asked only where it matters. */
  counting(): Promise<Counting>
}

/** Holds programs to limits and nothing else. */
export function createLimitedStarter(deps: LimitedDeps): Pick<LauncherStarter, 'run' | 'open'> {
  const { launcher, limits } = deps

  /** Throws a `SandboxRefusal`. */
  async function hold() {
    const held = holdLimits(limits, limits.processes === undefined ? 'none' : await deps.counting())
    return { setup: held.setup ?? {}, close: () => held.close() }
  }

  return {
    async run(request) {
      const held = await hold().catch(refused)
      if ('problem' in held) return notStarted(held)
      try {
        return await launcher.run({ ...request, setup: held.setup })
      } finally {
        await held.close()
      }
    },
    async open(request) {
      const held = await hold().catch(refused)
      if ('problem' in held) return held
      const opened = await launcher.open({ ...request, setup: held.setup })
      if ('problem' in opened) await held.close()
      else void opened.exited.then(held.close)
      return opened
    },
  }
}
