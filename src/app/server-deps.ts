import type { Config, Log } from '../model/index.ts'
import type { ServerDeps } from '../server/index.ts'
import { describeWithExample } from './describe.ts'
import { lateConsent } from './late-consent.ts'
import type { LiveCatalog } from './live-catalog.ts'
import type { ServedCalls } from './served-calls.ts'
import type { World } from './world.ts'

interface Parts {
  readonly world: Pick<World, 'version'>
  readonly config: Config
  readonly log: Log
  readonly live: LiveCatalog
  /** Undefined as long as no call is let through. */
  readonly calls: () => ServedCalls | undefined
}

/** What the server knows of the rest of the house. */
export function serverDeps({ world, config, log, live, calls }: Parts): ServerDeps {
  // A connection goes by the names it has listed, so they stay what they are.
  const { nameStyle, describeWithExamples } = config
  const opened = calls()
  const gate = () => served().calling.gate
  const consent = opened ? gate().consent : lateConsent(() => gate().consent)

  function served(): ServedCalls {
    const now = calls()
    if (now === undefined) throw new Error('no call is let through before they can be carried out')
    return now
  }

  return {
    catalog: () => live.current(),
    callTool: (call) => served().calling.callTool(call),
    ...(opened?.audit && { onRefusedCall: (call) => opened.audit?.refused(call, live.current()) }),
    log,
    version: world.version,
    nameStyle: () => nameStyle,
    ...(describeWithExamples && { describe: describeWithExample(() => live.current()) }),
    onHoldersChanged: () => calls()?.calling.supervision.holdersChanged(),
    ...(consent && { consent }),
    metrics() {
      const { calling, statistics } = served()
      calling.tell()
      return statistics.metrics()
    },
  }
}
