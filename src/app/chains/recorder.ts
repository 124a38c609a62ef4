import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { formatCallRecord, keepArgument, keepOutput } from '../../formats/index.ts'
import { type Call, type Config, type ObserveCall, OrlaError } from '../../model/index.ts'
import { type LineFile, openLineFile, ownKey } from '../../platform/index.ts'
import { stepValue } from '../../runtime/index.ts'
import type { Secrets } from '../secrets.ts'

/** Keeps what calls were given and gave, where somebody asked for it. A call never waits for it or fails with it. */
export interface CallRecorder {
  /** Undefined while nothing is to be kept. */
  observer(): ObserveCall | undefined
  /** Everything that was heard is with the system, if it can be. */
  close(): Promise<void>
}

interface Deps {
  readonly home: string
  /** The project: calls by command belong together when they are made in one. */
  readonly root: string
  readonly mode: () => Config['recordCalls']
  readonly secrets: Secrets
  /** Once, until it works again. */
  readonly onProblem: (message: string) => void
}

/** What a process that is killed loses at most. */
const FLUSH_MS = 250
/** Of each of two files. */
const MOST_BYTES = 4 * 1_048_576

export function openCallRecorder({ home, root, mode, secrets, onProblem }: Deps): CallRecorder {
  let own: string | undefined
  let store: { readonly file: LineFile; readonly hash: (text: string) => string } | undefined
  let lines: string[] = []
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  const observe: ObserveCall = (call, tool, result) => {
    if (!result.ok) return
    guarded(() => {
      store ??= openCalls(home)
      const { hash } = store
      const keeping = { hash, isSecret: secrets.finder(), withValues: mode() === 'full' }
      const { name, version } = tool
      const input = Object.entries(call.arguments).map(
        ([key, value]) => [key, keepArgument(key, value, keeping)] as const,
      )
      lines.push(
        formatCallRecord({
          at: Date.now(),
          who: hash(whoOf(call)),
          tool: name,
          version,
          input: Object.fromEntries(input),
          output: keepOutput(stepValue(result.output), keeping),
        }),
      )
      timer ??= setTimeout(flush, FLUSH_MS).unref()
    })
  }

  function whoOf({ caller: { transport, era, connection } }: Call): string {
    if (transport === 'cli') return `cli ${root}`
    // Connections of two servers may have the same name.
    own ??= randomBytes(8).toString('hex')
    // Without sessions nobody says who is who: a client takes any socket that is free.
    return transport === 'http' && era === 'modern' ? own : `${own} ${connection}`
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const waiting = lines
    lines = []
    if (waiting.length === 0) return
    guarded(() => {
      store?.file.append(waiting)
      isFailing = false
    })
  }

  function guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof OrlaError)) throw error
      if (!isFailing) onProblem(`calls are not recorded: ${error.message}`)
      isFailing = true
    }
  }

  return {
    observer: () => (mode() === 'off' ? undefined : observe),
    async close() {
      flush()
      await store?.file.settle()
    },
  }
}

/** What was recorded, and how values in it are recognised. */
export function openCalls(home: string): {
  readonly file: LineFile
  readonly hash: (text: string) => string
} {
  const folder = join(home, 'calls')
  const key = ownKey(join(folder, 'key'))
  return {
    file: openLineFile(folder, MOST_BYTES),
    hash: (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, HASH_DIGITS),
  }
}

/** 80 bits: no two of all values that fit into the file agree by chance. */
const HASH_DIGITS = 20
