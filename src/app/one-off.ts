import type { Chooser } from '../catalog/index.ts'
import {
  type CallTool,
  type Capsule,
  type Log,
  type Measurement,
  type ObserveCall,
  type OfferedTool,
  OrlaError,
  type PackageFacts,
  type Tool,
} from '../model/index.ts'
import { createHttpClient } from '../platform/index.ts'
import { createCallTool, createCapsules } from '../runtime/index.ts'
import type { LoadedConfig } from './config.ts'
import { type ConfinementDeps, createConfinement } from './confinement.ts'
import { openGrants } from './grants/book.ts'
import { createGate } from './grants/gate.ts'
import { guardHolds } from './integrity/guarded-starter.ts'
import { type Integrity, openIntegrity } from './integrity/integrity.ts'
import { openMeans } from './sandbox/means.ts'
import { openTrialState } from './sandbox/state-folder.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { createStarters } from './starter.ts'
import { toolEnvironment, type World } from './world.ts'

/** The runtime of a command that calls tools without a server. */
export interface OneOff {
  callTool(options?: CallToolOptions): CallTool
  offered(capsule: Capsule): Promise<readonly OfferedTool[]>
  readonly secrets: Secrets
  /** Whoever looks for the tools looks with this: it knows what was installed in which folder. */
  readonly integrity: Integrity
  /** What was accepted for the package of a tool, for records. */
  grantOf(tool: Tool): string | undefined
  /** Ends whatever was started. */
  close(): Promise<void>
}

interface CallToolOptions {
  /** For tools that name none of their own. */
  readonly timeoutMs?: number | undefined
  /** Who hears of each call. */
  readonly observer?: () => ObserveCall | undefined
  /** What goes around each call that a chain makes. */
  readonly aroundStep?: (callTool: CallTool) => CallTool
}

export interface OneOffOptions extends Pick<ConfinementDeps, 'trial'> {
  readonly onCall?: (measurement: Measurement) => void
  /** Which implementation is tried first; as the package has them unless told. */
  readonly order?: Chooser['order']
}

/** `trial`: packages are tried, not used. */
export function openOneOff(
  world: World,
  loaded: LoadedConfig,
  { onCall = () => {}, order, ...options }: OneOffOptions = {},
): OneOff {
  const { config } = loaded
  const secrets = openSecrets(world, loaded)
  const starters = createStarters(world)
  const { starter } = starters
  const means = openMeans(starters, loaded.home)
  const gate = createGate(openGrants(loaded.home))
  const acceptedFor = (facts: PackageFacts) => gate.acceptedFor(facts)
  const tried = options.trial && openTrialState(loaded.home)
  const { confine: hold } = createConfinement({
    world,
    loaded: () => loaded,
    means,
    acceptedFor,
    ...options,
    ...(tried && { state: tried.folderOf }),
  })
  const integrity = openIntegrity(loaded.home)
  const confine = guardHolds(hold, integrity.differenceIn)
  const http = createHttpClient()
  const variables = toolEnvironment(world, config)
  const environment = () => variables
  const outputBytes = () => config.limits.outputBytes
  // Nobody waits for a second try: the first crash is what the command reports.
  const restart = () => ({ ...config.capsules.restart, limit: 1 })
  const capsules = createCapsules({
    starter,
    confine,
    environment,
    secret: secrets.of,
    log: SILENT,
    restart,
    outputBytes,
    version: world.version,
  })
  return {
    callTool: ({ timeoutMs = config.timeoutMs, ...called } = {}) =>
      createCallTool({
        starter,
        confine,
        capsules,
        http,
        secret: secrets.of,
        settings: () => ({
          timeoutMs,
          concurrency: 1,
          outputBytes: outputBytes(),
          mostMs: config.toolLimits.timeoutMs,
        }),
        environment,
        admit: gate.admit,
        onCall,
        ...(order && { order }),
        check: integrity,
        ...called,
      }),
    async offered(capsule) {
      const { origin } = capsule
      if (origin?.kind === 'package' && gate.acceptedFor(origin.package) === undefined)
        throw notAccepted(capsule)
      return capsules.offered(capsule)
    },
    secrets,
    integrity,
    grantOf: gate.grantOf,
    async close() {
      await capsules.close()
      http.close()
      await starter.close()
      tried?.discard()
    },
  }
}

function notAccepted({ name, version }: Capsule): OrlaError {
  return new OrlaError('E_REFUSED', `nobody has accepted on this machine that ${name} ${version} runs`, {
    hint: `\`orla grant ${name}@v${version}\` accepts it`,
  })
}

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
