import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { formatCallRecord, type Keeping, keepArgument, keepOutput } from '../../formats/index.ts'
import {
  type Call,
  type CallRecord,
  type Config,
  type Log,
  type ObserveCall,
  OrlaError,
  type Output,
  type Tool,
} from '../../model/index.ts'
import { type LineFile, openLineFile, ownKey } from '../../platform/index.ts'
import { stepValue } from '../../runtime/index.ts'
import type { Secrets } from '../secrets.ts'

/** Keeps what calls were given and gave, where somebody asked for it. A call never waits for it or fails with it. */
export interface CallRecorder {
  /** Undefined while nothing is to be kept. */
  readonly observer: () => ObserveCall | undefined
  /** Everything that was heard is with the system, if it can be. */
  close(): Promise<void>
}

interface Deps {
  readonly home: string
  /** The project: calls by command belong together when they are made in one. */
  readonly root: string
  readonly mode: () => Config['recordCalls']
  readonly secrets: Secrets
  /** Hears once that it does not work, until it works again. */
  readonly log: Pick<Log, 'warn'>
}

interface Heard {
  readonly call: Call
  readonly tool: Tool
  readonly output: Output
  readonly at: number
}

/** What a process that is killed loses at most. */
const FLUSH_MS = 250
/** Of each of two files. */
const MOST_BYTES = 4 * 1_048_576

export function openCallRecorder({ home, root, mode, secrets, log }: Deps): CallRecorder {
  let own: string | undefined
  let store: { readonly file: LineFile; readonly hash: (text: string) => string } | undefined
  let heard: Heard[] = []
  let lines: string[] = []
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  // Answers are on the way before what they say is looked at.
  const observe: ObserveCall = (call, tool, result) => {
    if (!result.ok) return
    if (heard.push({ call, tool, output: result.output, at: Date.now() }) === 1) setImmediate(write)
  }

  function write(): void {
    const all = heard
    heard = []
    if (all.length === 0) return
    guarded(() => {
      store ??= openCalls(home)
      const keeping = { hash: store.hash, isSecret: secrets.finder(), withValues: mode() === 'full' }
      for (const one of all) lines.push(formatCallRecord(recordOf(one, keeping)))
      timer ??= setTimeout(flush, FLUSH_MS).unref()
    })
  }

  function recordOf({ call, tool, output, at }: Heard, keeping: Keeping): CallRecord {
    const input = Object.entries(call.arguments).map(
      ([key, value]) => [key, keepArgument(key, value, keeping)] as const,
    )
    return {
      at,
      who: keeping.hash(whoOf(call)),
      tool: tool.name,
      version: tool.version,
      input: Object.fromEntries(input),
      output: keepOutput(stepValue(output), keeping),
    }
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
      if (!isFailing) log.warn(`calls are not recorded: ${error.message}`)
      isFailing = true
    }
  }

  return {
    observer: () => (mode() === 'off' ? undefined : observe),
    async close() {
      write()
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
