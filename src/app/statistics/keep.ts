import { join } from 'node:path'
import { compactStatistics, createRecorder, type HeardCall, type HeardTests } from '../../catalog/index.ts'
import { OrlaError } from '../../model/index.ts'
import { countJournals, openJournal } from '../../platform/index.ts'

/** Writes down what calls and tests came to. A call never waits for it and never fails because of it. */
export interface StatisticsKeeper {
  /** `at`: when it ended; now unless told. */
  heard(call: HeardCall, at?: number): void
  tested(tool: string, version: string, tests: HeardTests): void
  /** Everything heard so far is with the system, if it can be. */
  flush(): void
  close(): Promise<void>
}

interface Deps {
  readonly home: string
  /** Asked for each call: a reload may change it. */
  readonly isOn: () => boolean
  /** Once, until it works again. */
  readonly onProblem: (message: string, hint?: string) => void
  /** What all processes wrote is together in one place. */
  readonly onCompacted?: () => void
  /** How long between one such time and the next. */
  readonly compactMs?: number
}

export function statisticsFolder(home: string): string {
  return join(home, 'statistics')
}

/** What a process that is killed loses at most. */
const FLUSH_MS = 500
const COMPACT_MS = 5 * 60_000
/** Each `orla call` leaves a file: one of them takes all up. */
const MANY_JOURNALS = 32

export function keepStatistics(deps: Deps): StatisticsKeeper {
  const { home, isOn, onProblem, onCompacted, compactMs = COMPACT_MS } = deps
  const folder = statisticsFolder(home)
  const recorder = createRecorder()
  const journal = openJournal(folder)
  let timer: NodeJS.Timeout | undefined
  let isFailing = false
  let compacting: Promise<void> | undefined
  let compactedAt = performance.now()

  function schedule(): void {
    if (timer !== undefined) return
    timer = setTimeout(() => {
      flush()
      if (performance.now() - compactedAt > compactMs) compacting ??= compact()
    }, FLUSH_MS)
    timer.unref()
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const record = recorder.take()
    if (record === undefined) return
    try {
      journal.append(record)
      recorder.settle()
      isFailing = false
    } catch (error) {
      tell(error)
    }
  }

  async function compact(): Promise<void> {
    try {
      const done = await compactStatistics(folder, { wait: false })
      for (const file of done?.setAside ?? []) onProblem(`damaged statistics were set aside as ${file}`)
      if (done !== undefined) onCompacted?.()
    } catch (error) {
      tell(error)
    } finally {
      compactedAt = performance.now()
      compacting = undefined
    }
  }

  /** A home that may not be written is somebody's choice; a full disk is not. */
  function tell(error: unknown): void {
    const { message } = error instanceof Error ? error : { message: String(error) }
    if (!isFailing && !isReadOnly(error)) {
      onProblem(`statistics are not kept: ${message}`, 'calls go on; `statistics: off` keeps none')
    }
    isFailing = true
  }

  return {
    heard(call, at) {
      // A name that is no tool's: callers could fill the store with them.
      if (call.reason === 'not_found' || !isOn()) return
      recorder.heard(call, at)
      schedule()
    },
    tested(tool, version, tests) {
      if (!isOn()) return
      recorder.tested(tool, version, tests)
      schedule()
    },
    flush,
    async close() {
      flush()
      await compacting
      journal.close()
      if (isOn() && countJournals(folder) >= MANY_JOURNALS) await compact()
    },
  }
}

function isReadOnly(error: unknown): boolean {
  const cause = error instanceof OrlaError ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return ['EROFS', 'EACCES', 'EPERM'].includes(code)
}
