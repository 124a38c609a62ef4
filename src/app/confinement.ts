import type {
  Enforcement,
  Confinement as Held,
  JsonObject,
  Log,
  Origin,
  PackageFacts,
  SandboxLimits,
  SandboxProfile,
} from '../model/index.ts'
import { type GatePassage, realPath, type Unsettled } from '../platform/index.ts'
import type { Confine, Hold, Subject } from '../runtime/index.ts'
import type { LoadedConfig } from './config.ts'
import type { Means } from './sandbox/means.ts'
import { type Accepted, type Denied, type Prepared, prepare } from './sandbox/prepare.ts'
import { type Named, realNames } from './sandbox/real-names.ts'
import { limitsOf } from './sandbox/resolve.ts'
import { unsettledLines } from './sandbox/unsettled-lines.ts'
import { grantedVariables } from './sandbox/variables.ts'
import type { World } from './world.ts'

export interface ConfinementDeps {
  readonly world: World
  /** Read at each start: a reload may change it. */
  readonly loaded: () => LoadedConfig
  readonly means: Means
  readonly log?: Log
  /** What holds for an installed package; undefined: nothing of it may run. */
  readonly acceptedFor: (facts: PackageFacts) => Accepted | undefined
  /**
   * Packages are tried, by the words of their manifest and in their own folder. What someone accepted, told what this
   * host cannot hold, or owns, needs no host that can.
   */
  readonly trial?: 'accepted' | 'stranger'
  /** Where a program keeps what it keeps, when not where its package always does. */
  readonly state?: (subject: Subject) => string
}

export interface Confinement {
  readonly confine: Confine
  /** What would be held of a package that asks for this. */
  readonly enforcement: (asks: Pick<PackageFacts, 'permissions' | 'limits'>) => Promise<Enforcement>
  /** What a subject may do here, and what holds it to that; undefined for what runs as it is. */
  readonly explain: (subject: Subject) => Promise<Prepared | Denied> | undefined
}

interface Known {
  readonly loaded: LoadedConfig
  readonly accepted: Accepted
  readonly stays: boolean | undefined
  readonly found: Promise<Prepared | Denied>
}

interface KnownLimits {
  readonly loaded: LoadedConfig
  readonly stays: boolean
  readonly limits: SandboxLimits
}

/** Decides how programs are held: those of packages to their permissions, the operator's own to nothing. */
export function createConfinement(deps: ConfinementDeps): Confinement {
  const { world, means, log, trial } = deps
  const prepared = new WeakMap<Origin, Known>()
  const limited = new WeakMap<Origin, KnownLimits>()
  let project: { readonly loaded: LoadedConfig; readonly path: string; readonly real: string } | undefined

  /** Calls run in the folder of their project, and a sandbox shows that where it lay when the settings were read. */
  function realFolder(path: string): string {
    const loaded = deps.loaded()
    if (project?.loaded !== loaded || project.path !== path) project = { loaded, path, real: realPath(path) }
    return project.real
  }

  /** Undefined for the operator's own. */
  function acceptedOf({ origin }: Subject): Accepted | undefined {
    const facts = origin.kind === 'package' ? origin.package : undefined
    if (facts?.receipt !== undefined) return deps.acceptedFor(facts) ?? NOTHING
    const isHeld = deps.loaded().config.sandbox.loose || (facts !== undefined && trial !== undefined)
    if (!isHeld) return undefined
    return { permissions: facts?.permissions ?? null, unenforced: trial === 'stranger' ? [] : 'all' }
  }

  /** The same as long as the settings do not change, and asked as often. */
  function limitsFor({ origin, stays = false }: Subject): SandboxLimits {
    const loaded = deps.loaded()
    const known = limited.get(origin)
    if (known?.loaded === loaded && known.stays === stays) return known.limits
    const own = origin.kind === 'package' ? origin.package.limits : {}
    const limits = limitsOf(own, loaded.config.toolLimits, stays)
    limited.set(origin, { loaded, stays, limits })
    return limits
  }

  /** The same as long as neither the settings nor what was accepted change: a call to a capsule asks each time. */
  function prepareFor(subject: Subject, accepted: Accepted): Promise<Prepared | Denied> {
    const loaded = deps.loaded()
    const known = prepared.get(subject.origin)
    const isKnown = known?.loaded === loaded && known.stays === subject.stays
    if (isKnown && isSame(known.accepted, accepted)) return known.found
    const wanted = {
      subject,
      accepted,
      limits: limitsFor(subject),
      isTried: trial !== undefined,
      ...(deps.state && { state: deps.state(subject) }),
    }
    const found = prepare(wanted, { world, loaded, means })
    prepared.set(subject.origin, { loaded, accepted, stays: subject.stays, found })
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
      const { starter, profile, accepted: open, held: expected } = found
      return {
        starter,
        profile,
        accepted: open,
        env: { HOME: profile.state, ...grantedVariables(env, subject.origin, accepted) },
        onConfined: (enforcement: Enforcement) => {
          held = isHeldBy(enforcement, expected)
            ? expected
            : { permissions: accepted.permissions, ...enforcement }
        },
        onPassage: (passage: GatePassage) => log?.info('network', passageFields(subject.name, passage)),
      }
    }

    function named(request: Named, profile: SandboxProfile) {
      const { origin } = subject
      return origin.kind === 'package' ? realNames(request, origin.folder, profile.package, realFolder) : {}
    }

    return {
      limits: limitsFor(subject),
      starter: {
        async run(request) {
          const { starter, ...held } = await wish(request)
          let said: readonly string[] = []
          const onUnsettled = (unsettled: Unsettled) => {
            said = unsettledLines(unsettled)
          }
          const end = await starter.run({ ...request, ...named(request, held.profile), ...held, onUnsettled })
          if (said.length === 0) return end
          return { ...end, stderr: Buffer.concat([end.stderr, Buffer.from(`${said.join('\n')}\n`)]) }
        },
        async open(request) {
          const { starter, ...held } = await wish(request)
          return starter.open({ ...request, ...named(request, held.profile), ...held })
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
    async enforcement({ permissions, limits }) {
      const facts = { name: 'package', permissions, limits }
      const folder = deps.loaded().config.toolsDir
      const origin: Origin = { kind: 'package', file: folder, folder, scope: 'project', package: facts }
      const found = await prepareFor({ name: facts.name, origin }, { permissions, unenforced: [] })
      // Words that mean nothing fail the install of their package.
      return 'held' in found ? found.held : { backend: 'none', enforced: [], unenforced: [] }
    },
    explain(subject) {
      const accepted = acceptedOf(subject)
      return accepted && prepareFor(subject, accepted)
    },
  }
}

/** One object for all calls, as a rule: who tells of calls then knows that they are alike. */
function isHeldBy(enforcement: Enforcement, { backend, enforced, unenforced }: Held): boolean {
  return (
    enforcement.backend === backend &&
    enforcement.enforced === enforced &&
    enforcement.unenforced === unenforced
  )
}

function isSame(one: Accepted, other: Accepted): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

const NOTHING: Accepted = { permissions: [], unenforced: [] }

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
