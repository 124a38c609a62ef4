import { OrlaError } from '../../model/index.ts'
import { runOnTerminal, type Unsettled } from '../../platform/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { openSecrets } from '../secrets.ts'
import type { World } from '../world.ts'
import { openConfinement } from './open.ts'
import { findSubject } from './subject.ts'
import { unsettledLines } from './unsettled-lines.ts'
import { grantedVariables, seenVariables } from './variables.ts'

const GRACE_MS = 2_000

/** Runs a command where a tool would run, on the terminal of whoever asks. Resolves to its exit status. */
export async function runInSandbox(
  world: World,
  request: ConfigRequest,
  name: string,
  [file = '', ...args]: readonly string[],
  onNote: (line: string) => void,
): Promise<number> {
  const loaded = await loadConfig(world, request)
  const { subject, version, command, calls } = await findSubject(loaded, name)
  if (calls !== undefined) {
    throw new OrlaError('E_REFUSED', `\`${name}\` is a chain and runs nothing itself`, {
      hint: `it calls ${calls.join(', ')}, each held by itself`,
    })
  }
  const { explain, unaccepted, close } = openConfinement(world, loaded)
  // The terminal tells the command itself; whoever started it waits for its end.
  const release = world.onSignal('SIGINT', () => {})
  try {
    const denied = unaccepted(subject, version)
    const found = denied === undefined ? await explain(subject) : { denied }
    if (found === undefined) {
      throw new OrlaError('E_REFUSED', `\`${name}\` is your own and runs as you: it has no sandbox`, {
        hint: '`sandbox: {loose: true}` in orla.yaml holds your own tools too',
      })
    }
    if (found.denied !== undefined) throw new OrlaError('E_REFUSED', `\`${name}\` ${found.denied}`)
    if (!('profile' in found)) throw new Error('what is not denied has a profile')
    const { starter, profile, accepted, held } = found
    const variables = seenVariables(world, loaded, command, openSecrets(world, loaded).of)
    const wanted = {
      file,
      args,
      cwd: command?.cwd ?? loaded.root,
      env: { ...grantedVariables(variables, subject.origin, held), HOME: profile.state },
      graceMs: GRACE_MS,
      profile,
      accepted,
      onUnsettled: (unsettled: Unsettled) => unsettledLines(unsettled).forEach(onNote),
    }
    return await runOnTerminal(starter, wanted, world)
  } finally {
    release()
    await close()
  }
}
