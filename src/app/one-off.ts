import type { CallTool, Capsule, Log, Measurement, ObserveCall, OfferedTool } from '../model/index.ts'
import { createHttpClient } from '../platform/index.ts'
import { createCallTool, createCapsules } from '../runtime/index.ts'
import type { LoadedConfig } from './config.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { createStarter } from './starter.ts'
import { toolEnvironment, type World } from './world.ts'

/** The runtime of a command that calls tools without a server. */
export interface OneOff {
  /** `timeoutMs`: for tools that name none of their own. `observer`: who hears of each call. */
  callTool(timeoutMs?: number, observer?: () => ObserveCall | undefined): CallTool
  offered(capsule: Capsule): Promise<readonly OfferedTool[]>
  readonly secrets: Secrets
  /** Ends whatever was started. */
  close(): Promise<void>
}

export function openOneOff(
  world: World,
  loaded: LoadedConfig,
  onCall: (measurement: Measurement) => void = () => {},
): OneOff {
  const { config } = loaded
  const secrets = openSecrets(world, loaded)
  const starter = createStarter(world)
  const http = createHttpClient()
  const variables = toolEnvironment(world)
  const environment = () => variables
  const outputBytes = () => config.limits.outputBytes
  // Nobody waits for a second try: the first crash is what the command reports.
  const restart = () => ({ ...config.capsules.restart, limit: 1 })
  const capsules = createCapsules({
    starter,
    environment,
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
        onCall,
        observer,
      }),
    offered: (capsule) => capsules.offered(capsule),
    secrets,
    async close() {
      await capsules.close()
      http.close()
      await starter.close()
    },
  }
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
