import { join } from 'node:path'
import { addedPermissions, networkWord } from '../formats/index.ts'
import type {
  Confinement as Held,
  JsonObject,
  Log,
  Origin,
  PackageFacts,
  SandboxLimits,
  SandboxProfile,
} from '../model/index.ts'
import { type GatePassage, isFolder, makeFolder } from '../platform/index.ts'
import type { Confine, Hold, MayReach, Subject } from '../runtime/index.ts'
import type { LoadedConfig } from './config.ts'
import { unreachableWords } from './sandbox/denied-words.ts'
import type { Means } from './sandbox/means.ts'
import { type Accepted, type Denied, type Prepared, prepare } from './sandbox/prepare.ts'
import { limitsOf } from './sandbox/resolve.ts'
import { grantedVariables } from './sandbox/variables.ts'
import type { World } from './world.ts'

/** What a person accepted when the package was installed. */
function acceptedFor({ permissions, receipt }: PackageFacts): Accepted {
  return { permissions: permissions === null ? null : (receipt?.permissions ?? []), unenforced: [] }
}

export interface ConfinementDeps {
  readonly world: World
  /** Read at each start: a reload may change it. */
  readonly loaded: () => LoadedConfig
  readonly means: Means
  readonly log?: Log
  /**
   * Packages are tried, by the words of their manifest and in their own folder. Whoever tries his own needs no host
   * that can hold it.
   */
  readonly trial?: 'own' | 'stranger'
}

export interface Confinement {
  readonly confine: Confine
  /** Endpoints are called by Orla itself: the words of a package bind it here as well. */
  readonly mayReach: MayReach
  /** What a subject may do here, and what holds it to that; undefined for what runs as it is. */
  readonly explain: (subject: Subject) => Promise<Prepared | Denied> | undefined
}

interface Known {
  readonly loaded: LoadedConfig
  readonly key: string
  readonly found: Promise<Prepared | Denied>
}

/** Decides how programs are held: those of packages to their permissions, the operator's own to nothing. */
export function createConfinement(deps: ConfinementDeps): Confinement {
  const { world, means, log, trial } = deps
  const prepared = new WeakMap<Origin, Known>()

  /** Undefined for the operator's own. */
  function acceptedOf({ origin }: Subject): Accepted | undefined {
    const facts = origin.kind === 'package' ? origin.package : undefined
    if (facts?.receipt !== undefined) return acceptedFor(facts)
    const isHeld = deps.loaded().config.sandbox.loose || (facts !== undefined && trial !== undefined)
    if (!isHeld) return undefined
    return { permissions: facts?.permissions ?? null, unenforced: trial === 'stranger' ? [] : 'all' }
  }

  function limitsFor({ origin, stays = false }: Subject): SandboxLimits {
    const own = origin.kind === 'package' ? origin.package.limits : {}
    return limitsOf(own, deps.loaded().config.toolLimits, stays)
  }

  /** The same as long as neither the settings nor what was accepted change: a call to a capsule asks each time. */
  function prepareFor(subject: Subject, accepted: Accepted): Promise<Prepared | Denied> {
    const loaded = deps.loaded()
    const key = JSON.stringify([accepted, subject.stays])
    const known = prepared.get(subject.origin)
    if (known?.loaded === loaded && known.key === key) return known.found
    const wanted = { subject, accepted, limits: limitsFor(subject), isTried: trial !== undefined }
    const found = prepare(wanted, { world, loaded, means })
    prepared.set(subject.origin, { loaded, key, found })
    return found
  }

  function hold(subject: Subject, accepted: Accepted, input?: JsonObject): Hold {
    let asked: Promise<Prepared | Denied> | undefined
    let held: Held | undefined
    const prepareCall = () => {
      asked ??= prepareFor(subject, accepted).then((found) =>
        input === undefined || !('forCall' in found) ? found : found.forCall(input),
      )
      return asked
    }

    async function wish({ env }: { readonly env: Readonly<Record<string, string>> }) {
      const found = await prepareCall()
      if (!('profile' in found)) throw new Error('what was denied is not to be started')
      const { starter, profile, accepted: open } = found
      makeOrlasFolder(deps.loaded(), profile)
      const { permissions } = accepted
      return {
        starter,
        profile,
        accepted: open,
        env: { HOME: profile.state, ...grantedVariables(env, subject.origin, accepted) },
        onConfined: (enforcement: Omit<Held, 'permissions'>) => {
          held = { permissions, ...enforcement }
        },
        onPassage: (passage: GatePassage) => log?.info('network', passageFields(subject.name, passage)),
      }
    }

    return {
      limits: limitsFor(subject),
      starter: {
        async run(request) {
          const { starter, ...held } = await wish(request)
          return starter.run({ ...request, ...held })
        },
        async open(request) {
          const { starter, ...held } = await wish(request)
          return starter.open({ ...request, ...held })
        },
      },
      denied: async () => (await prepareCall()).denied,
      confinement: () => held,
    }
  }

  return {
    confine(subject, input) {
      const accepted = acceptedOf(subject)
      return accepted === undefined ? means.limited(limitsFor(subject)) : hold(subject, accepted, input)
    },
    mayReach(subject, url) {
      const accepted = acceptedOf(subject)
      if (accepted === undefined || deps.loaded().config.sandbox.mode === 'off') return undefined
      const [missing] = addedPermissions(accepted.permissions, [networkWord(url)])
      return missing === undefined ? undefined : unreachableWords(subject, missing)
    },
    explain(subject) {
      const accepted = acceptedOf(subject)
      return accepted && prepareFor(subject, accepted)
    },
  }
}

/**
 * In a project of Orla a tool may make new files only where all that is protected is there to be covered. This part is
 * Orla's own to make, and shows nowhere as long as it is empty.
 */
function makeOrlasFolder({ file, root }: LoadedConfig, { paths, workspace }: SandboxProfile): void {
  if (file === null || !paths.some(({ path, access }) => path === workspace && access === 'write')) return
  const folder = join(root, '.mcp')
  if (!isFolder(folder)) makeFolder(folder)
}

function passageFields(tool: string, passage: GatePassage) {
  const { host, port, address, sentBytes, receivedBytes, problem } = passage
  return {
    tool,
    host,
    port,
    address: address ?? null,
    sent_bytes: sentBytes,
    received_bytes: receivedBytes,
    ...(problem !== undefined && { error: problem }),
  }
}
