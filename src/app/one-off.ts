import type { Chooser } from '../catalog/index.ts'
import {
  type CallTool,
  type Capsule,
  type Log,
  type Measurement,
  type ObserveCall,
  type OfferedTool,
  OrlaError,
  type Tool,
} from '../model/index.ts'
import { createHttpClient } from '../platform/index.ts'
import { createCallTool, createCapsules } from '../runtime/index.ts'
import type { LoadedConfig } from './config.ts'
import { openGrants } from './grants/book.ts'
import { createGate } from './grants/gate.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { createStarter } from './starter.ts'
import { toolEnvironment, type World } from './world.ts'

/** The runtime of a command that calls tools without a server. */
export interface OneOff {
  /** `timeoutMs`: for tools that name none of their own. `observer`: who hears of each call. */
  callTool(timeoutMs?: number, observer?: () => ObserveCall | undefined): CallTool
  offered(capsule: Capsule): Promise<readonly OfferedTool[]>
  readonly secrets: Secrets
  /** What was accepted for the package of a tool, for records. */
  grantOf(tool: Tool): string | undefined
  /** Ends whatever was started. */
  close(): Promise<void>
}

export function openOneOff(
  world: World,
  loaded: LoadedConfig,
  onCall: (measurement: Measurement) => void = () => {},
  order?: Chooser['order'],
): OneOff {
  const { config } = loaded
  const secrets = openSecrets(world, loaded)
  const starter = createStarter(world)
  const http = createHttpClient()
  const gate = createGate(openGrants(loaded.home))
  const variables = toolEnvironment(world, config)
  const environment = () => variables
  const outputBytes = () => config.limits.outputBytes
  // Nobody waits for a second try: the first crash is what the command reports.
  const restart = () => ({ ...config.capsules.restart, limit: 1 })
  const capsules = createCapsules({
    starter,
    environment,
    secret: secrets.of,
    log: SILENT,
    restart,
    outputBytes,
    version: world.version,
  })
  return {
    callTool: (timeoutMs = config.timeoutMs, observer = () => undefined) =>
      createCallTool({
        starter,
        capsules,
        http,
        secret: secrets.of,
        settings: () => ({ timeoutMs, concurrency: 1, outputBytes: outputBytes() }),
        environment,
        admit: gate.admit,
        onCall,
        ...(order && { order }),
        observer,
      }),
    async offered(capsule) {
      const { origin } = capsule
      if (origin?.kind === 'package' && gate.acceptedFor(origin.package) === undefined)
        throw notAccepted(capsule)
      return capsules.offered(capsule)
    },
    secrets,
    grantOf: gate.grantOf,
    async close() {
      await capsules.close()
      http.close()
      await starter.close()
    },
  }
}

function notAccepted({ name, version }: Capsule): OrlaError {
  return new OrlaError('E_REFUSED', `nobody has accepted on this machine that ${name} ${version} runs`, {
    hint: `\`orla grant ${name}@v${version}\` accepts it`,
  })
}

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
