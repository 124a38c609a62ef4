import { openStatistics } from '../../catalog/index.ts'
import type { CapsuleStatus, Catalog, Log, Measurement } from '../../model/index.ts'
import type { OnCall } from '../calls.ts'
import { createCallCounters } from './call-counters.ts'
import { keepStatistics, statisticsFolder } from './keep.ts'
import { writeMetadata } from './metadata.ts'
import { renderServerMetrics } from './server-metrics.ts'

export interface ServerStatistics {
  readonly heard: OnCall
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

const COUNT_MS = 100
const MOST_WAITING = 256

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
  let calls: Measurement[] = []
  let times: number[] = []
  let timer: NodeJS.Timeout | undefined

  function count(): void {
    clearTimeout(timer)
    timer = undefined
    const ended = calls
    const endedAt = times
    calls = []
    times = []
    ended.forEach((measurement, index) => {
      counters.heard(measurement)
      keeper.heard(measurement, endedAt[index])
    })
  }

  return {
    // Many are counted at once: code that has just run is quick.
    heard(measurement, at) {
      times.push(at)
      if (calls.push(measurement) >= MOST_WAITING) count()
      else timer ??= setTimeout(count, COUNT_MS).unref()
    },
    metrics() {
      count()
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
    close() {
      count()
      return keeper.close()
    },
  }
}
