import { openStatistics } from '../../catalog/index.ts'
import type { CapsuleStatus, Catalog, Log } from '../../model/index.ts'
import type { OnCalls } from '../calls.ts'
import { AT, BYTES_IN, BYTES_OUT, MS, NUMBERS } from '../ended-calls.ts'
import { createCallCounters } from './call-counters.ts'
import { keepStatistics, statisticsFolder } from './keep.ts'
import { writeMetadata } from './metadata.ts'
import { renderServerMetrics } from './server-metrics.ts'

export interface ServerStatistics {
  readonly heard: OnCalls
  readonly metrics: () => string
  close(): Promise<void>
}

interface Deps {
  readonly home: string
  /** Orla's own. */
  readonly version: string
  readonly log: Log
  readonly isOn: () => boolean
  readonly catalog: () => Catalog
  readonly capsules: () => readonly CapsuleStatus[]
  /** Undefined until clients can connect. */
  readonly front: () => { readonly sessions: number; readonly connections: number } | undefined
}

/** Both faces of what a server hears of its calls: kept for this machine, and of this process for whoever watches it. */
export function serveStatistics({
  home,
  version,
  log,
  isOn,
  catalog,
  capsules,
  front,
}: Deps): ServerStatistics {
  const startedAt = Date.now()
  const counters = createCallCounters()
  const keeper = keepStatistics({
    home,
    isOn,
    onProblem: (message, hint) => log.warn(message, hint === undefined ? {} : { hint }),
    onCompacted: () => writeMetadata(catalog(), openStatistics(statisticsFolder(home))),
  })
  return {
    heard(calls) {
      const numbers = calls.numbers()
      calls.each((index) => {
        const place = index * NUMBERS
        const kind = calls.kind(index)
        const at = numbers[place + AT] ?? 0
        const call =
          kind === undefined
            ? calls.measurement(index)
            : {
                tool: kind.tool,
                version: kind.version,
                ms: numbers[place + MS] ?? 0,
                bytesIn: numbers[place + BYTES_IN] ?? 0,
                bytesOut: numbers[place + BYTES_OUT] ?? 0,
              }
        try {
          counters.heard(call)
        } finally {
          keeper.heard(call, at)
        }
      })
    },
    metrics() {
      const { tools, problems } = catalog()
      return renderServerMetrics({
        version,
        startedAt,
        tools: tools.size,
        problems: problems.length,
        sessions: front()?.sessions ?? 0,
        connections: front()?.connections ?? 0,
        capsules: capsules(),
        calls: counters.all(),
        unknown: counters.unknown(),
      })
    },
    close: () => keeper.close(),
  }
}
