import {
  type CallTool,
  type Capsule,
  commandsOf,
  type Log,
  type OfferedTool,
  type Tool,
} from '../model/index.ts'
import { createHttpClient } from '../platform/index.ts'
import { createCallTool, createCapsules } from '../runtime/index.ts'
import type { LoadedConfig } from './config.ts'
import { type ConfinementDeps, createConfinement } from './confinement.ts'
import { openMeans } from './sandbox/means.ts'
import { openSecrets } from './secrets.ts'
import { createStarters } from './starter.ts'
import { toolEnvironment, type World } from './world.ts'

/** The runtime of a command that calls tools without a server. */
export interface OneOff {
  /** `timeoutMs`: for tools that name none of their own. */
  callTool(timeoutMs?: number): CallTool
  offered(capsule: Capsule): Promise<readonly OfferedTool[]>
  /** Why programs of this tool must not start here; undefined when they may. */
  denied(tool: Tool): Promise<string | undefined>
  /** Ends whatever was started. */
  close(): Promise<void>
}

/** `trial`: packages are tried, not used. */
export function openOneOff(
  world: World,
  loaded: LoadedConfig,
  options: Pick<ConfinementDeps, 'trial'> = {},
): OneOff {
  const { config } = loaded
  const secrets = openSecrets(world, loaded)
  const starters = createStarters(world)
  const { starter } = starters
  const means = openMeans(starters, loaded.home)
  const { confine, mayReach } = createConfinement({ world, loaded: () => loaded, means, ...options })
  const http = createHttpClient()
  const variables = toolEnvironment(world)
  const environment = () => variables
  const outputBytes = () => config.limits.outputBytes
  // Nobody waits for a second try: the first crash is what the command reports.
  const restart = () => ({ ...config.capsules.restart, limit: 1 })
  const capsules = createCapsules({
    starter,
    confine,
    environment,
    log: SILENT,
    restart,
    outputBytes,
    version: world.version,
  })
  return {
    callTool: (timeoutMs = config.timeoutMs) =>
      createCallTool({
        starter,
        confine,
        mayReach,
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
      }),
    offered: (capsule) => capsules.offered(capsule),
    denied: async (tool) => (commandsOf(tool.run).length === 0 ? undefined : confine(tool)?.denied()),
    async close() {
      await capsules.close()
      http.close()
      await starter.close()
    },
  }
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
