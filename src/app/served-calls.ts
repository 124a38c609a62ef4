import type { Catalog, Log } from '../model/index.ts'
import type { LogSettings, LogSink } from '../platform/index.ts'
import { type Audit, openAudit } from './audit/audit.ts'
import { createCallLog } from './call-log.ts'
import { type Calling, openCalling } from './calling.ts'
import type { LoadedConfig } from './config.ts'
import type { Front } from './front.ts'
import type { Integrity } from './integrity/integrity.ts'
import type { OfferedTools } from './offered-tools.ts'
import type { Secrets } from './secrets.ts'
import { type ServerStatistics, serveStatistics } from './statistics/serve.ts'
import type { World } from './world.ts'

interface Deps {
  readonly world: World
  readonly loaded: () => LoadedConfig
  readonly log: Log
  readonly sink: LogSink
  readonly logSettings: () => LogSettings
  readonly secrets: Secrets
  readonly offered: OfferedTools
  readonly integrity: Integrity
  /** The newest. */
  readonly catalog: () => Catalog
  /** Undefined until clients can connect. */
  readonly front: () => Front | undefined
  readonly onOffer: () => void
}

/**
 * What a server does about calls: it carries them out, and tells the log, the audit file and the statistics. Much code,
 * of which nothing is needed to greet a client and list the tools.
 */
export interface ServedCalls {
  readonly calling: Calling
  readonly audit: Audit | undefined
  readonly statistics: ServerStatistics
}

export function openServedCalls(deps: Deps): ServedCalls {
  const { world, loaded, log, sink, secrets, catalog, front } = deps
  const { config, home } = loaded()
  const audit = openAudit({
    config: config.audit,
    home,
    log,
    hide: secrets.hide,
    grantOf: (tool) => calling.gate.grantOf(tool),
  })
  const logCalls = createCallLog(sink, deps.logSettings)
  const statistics = serveStatistics({
    home,
    version: world.version,
    log,
    isOn: () => loaded().config.statistics === 'on',
    catalog,
    capsules: () => calling.supervision.capsules.list(),
    front: () => front()?.stats(),
  })
  const calling = openCalling({
    world,
    loaded,
    log,
    secrets,
    offered: deps.offered,
    integrity: deps.integrity,
    around: (callTool) => audit?.audited(callTool) ?? callTool,
    onCalls(ended) {
      try {
        logCalls(ended)
      } finally {
        statistics.heard(ended)
      }
    },
    held: () => front()?.held() ?? [],
    onOffer: deps.onOffer,
  })
  return { calling, audit, statistics }
}
