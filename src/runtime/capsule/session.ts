import { setTimeout as pause } from 'node:timers/promises'
import type { Capsule, CapsuleLogLine, OfferedTool, SandboxLimits } from '../../model/index.ts'
import type { OpenEnd, OpenProcess, ProcessStarter } from '../../platform/index.ts'
import { exitWords } from '../exit-words.ts'
import { limitWords } from '../limit-words.ts'
import { sizeWords } from '../measure-words.ts'
import { spawnProblemWords } from '../spawn-problem-words.ts'
import { type Channel, createChannel } from './channel.ts'
import { createGreeting } from './greeting.ts'
import { createLastWords, type LastWords } from './last-words.ts'
import { createLineSplitter } from './lines.ts'

/** One process of a capsule, from its start to its end. */
export interface Session {
  /** Undefined until the process runs. */
  readonly channel: Channel | undefined
  readonly pid: number | null
  /** The program has exited; what it printed last may still be on its way. */
  readonly isGone: boolean
  readonly lastWords: LastWords
  /** What it has not done yet while it is not ready; follows "did not". */
  missing(): string
  /** Safe at any time, also before the process runs. */
  end(graceMs?: number): void
}

/** What happens to it, each at most once and in this order. The words follow the name of the capsule. */
export interface SessionListener {
  onStarted(pid: number): void
  onNotStarted(words: string): void
  onReady(tools: readonly OfferedTool[] | undefined): void
  /** It does not behave: it is of no use any more, but still there. */
  onFailed(words: string): void
  onGone(words: string): void
  onEnded(): void
  /** What an MCP server offers has changed. */
  onTools(tools: readonly OfferedTool[]): void
  onSaid(source: CapsuleLogLine['source'], text: string): void
  /** It did something the protocol does not allow, and goes on. */
  onBreach(words: string): void
  /** It does something that is allowed, and that its owner should know of. */
  onNotice(words: string): void
}

export interface SessionOptions {
  readonly capsule: Capsule
  readonly open: () => ReturnType<ProcessStarter['open']>
  readonly maxBytes: number
  /** Orla's own. */
  readonly version: string
  /** In force for its program. */
  readonly limits?: SandboxLimits
  readonly listener: SessionListener
}

/** An exit is often heard before the last words; they are given this long, so that an answer is not lost. */
const LAST_WORDS_MS = 50
/** Of a line on stderr. */
const LONGEST_LINE = 16 * 1024

export function openSession(options: SessionOptions): Session {
  const { capsule, open, maxBytes, version, limits = {}, listener } = options
  const lastWords = createLastWords()
  let channel: Channel | undefined
  let missing = () => 'start'
  let opened: OpenProcess | undefined
  let isGone = false
  let toEnd: { readonly graceMs: number | undefined } | undefined

  async function begin(): Promise<void> {
    const result = await open()
    if ('problem' in result)
      return listener.onNotStarted(`cannot start: ${spawnProblemWords(result.problem)}`)
    opened = result
    listener.onStarted(result.pid)
    void follow(result)
    listen(result)
    if (toEnd !== undefined) void result.end(toEnd.graceMs)
  }

  async function follow(process: OpenProcess): Promise<void> {
    const end = await process.gone
    isGone = true
    await readToEnd(process)
    listener.onGone(endWords(end, lastWords, limits))
    await process.exited
    listener.onEnded()
  }

  function listen({ stdin, stdout, stderr }: OpenProcess): void {
    const errors = createLineSplitter(LONGEST_LINE, {
      onLine: (line) => sayError(line.toString('utf8')),
      onTooLong: (head) => sayError(`${head.toString('utf8')}…`),
    })
    stderr.on('data', errors.take)
    stderr.on('end', errors.finish)
    channel = createChannel({
      stdin,
      stdout,
      maxBytes,
      onNotification: (method, params) => greeting.onNotification(method, params),
      onRequest: (id, method) => greeting.onRequest(id, method),
      onNoise: (text, why) => listener.onSaid('stdout', why === 'no message' ? text : `${why}: ${text}`),
      onUnread: () => listener.onFailed('does not read its input'),
      onTooLong: (bytes) =>
        listener.onFailed(
          `sent a message of ${sizeWords(bytes)}, more than the ${sizeWords(maxBytes)} it may have`,
        ),
    })
    const greeting = createGreeting({ capsule, channel, version, listener })
    missing = () => greeting.missing()
    // One that ends closes it as well: that is told by its end.
    stdout.once('end', () => {
      const late = () => {
        if (!isGone) listener.onFailed('closed its output')
      }
      setTimeout(late, CLOSED_MS).unref()
    })
  }

  function sayError(line: string): void {
    lastWords.add(line)
    listener.onSaid('stderr', line)
  }

  void begin()
  return {
    get channel() {
      return channel
    },
    get pid() {
      return opened === undefined || isGone ? null : opened.pid
    },
    get isGone() {
      return isGone
    },
    lastWords,
    missing: () => missing(),
    end(graceMs) {
      toEnd ??= { graceMs }
      void opened?.end(graceMs)
    },
  }
}

/** Between the end of its output and that of the process. */
const CLOSED_MS = 500

async function readToEnd({ stdout, stderr }: OpenProcess): Promise<void> {
  const over = new AbortController()
  const ends = [stdout, stderr]
    .filter((stream) => !stream.closed)
    .map((stream) => new Promise((resolve) => stream.once('close', resolve)))
  const late = pause(LAST_WORDS_MS, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([Promise.all(ends), late])
  over.abort()
}

function endWords(end: OpenEnd, lastWords: LastWords, limits: SandboxLimits): string {
  if (end.problem !== undefined) return `cannot start: ${spawnProblemWords(end.problem)}`
  const last = lastWords.last()
  const broken = limitWords({ ...end, stderr: Buffer.from(lastWords.all()) }, limits)
  if (broken !== undefined) return broken
  return last === '' ? exitWords(end) : `${exitWords(end)}; its last line on stderr: ${last}`
}
