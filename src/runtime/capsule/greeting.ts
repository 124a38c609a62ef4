import type { Capsule, Json, JsonObject } from '../../model/index.ts'
import { durationWords } from '../measure-words.ts'
import type { Channel } from './channel.ts'
import { HELLO, helloProblem } from './hello.ts'
import { LOG_MESSAGE, logMessageWords } from './log-message.ts'
import { HandshakeError, type ListedTools, listTools, shakeHands } from './mcp-handshake.ts'
import { createPatience } from './patience.ts'
import type { SessionListener } from './session.ts'
import { createUnusableTeller } from './unusable-tools.ts'

/** The part of a conversation that is not about calls: the handshake, and what the process asks or tells by itself. */
export interface Greeting {
  onNotification(method: string, params: JsonObject): void
  onRequest(id: Json, method: string): void
  /** What the process has not done yet while it is not ready. */
  missing(): string
}

interface GreetingOptions {
  readonly capsule: Capsule
  readonly channel: Channel
  readonly version: string
  readonly listener: Pick<
    SessionListener,
    'onReady' | 'onFailed' | 'onTools' | 'onSaid' | 'onBreach' | 'onNotice'
  >
}

export function createGreeting(options: GreetingOptions): Greeting {
  const { channel, listener } = options
  const handshake = options.capsule.handshake === 'orla' ? awaitHello(options) : greetServer(options)
  return {
    ...handshake,
    onNotification(method, params) {
      if (method === LOG_MESSAGE) listener.onSaid('stdout', logMessageWords(params))
      else handshake.onNotification(method, params)
    },
    onRequest(id, method) {
      if (method === 'ping') channel.answer(id, {})
      else if (method === 'roots/list') channel.answer(id, { roots: [] })
      else channel.refuse(id, METHOD_NOT_FOUND, `Orla does not answer \`${method}\``)
    },
  }
}

const METHOD_NOT_FOUND = -32601

type Handshake = Pick<Greeting, 'onNotification' | 'missing'>

/** Exactly one hello; what comes before is heard and passed over. */
function awaitHello({ capsule, listener }: GreetingOptions): Handshake {
  let greeted = false
  let breached = false
  return {
    missing: () => `say hello (\`${HELLO}\`)`,
    onNotification(method, params) {
      if (method !== HELLO)
        return listener.onSaid('stdout', `${method}: Orla does not know this notification`)
      if (greeted) {
        // Once is news; a flood of them is none.
        if (!breached) listener.onBreach('said hello a second time, which is ignored')
        breached = true
        return
      }
      greeted = true
      const problem = helloProblem(capsule, params)
      if (problem === undefined) listener.onReady(undefined)
      else listener.onFailed(problem)
    },
  }
}

/** Changes of the list come in bursts: one question for each, and fewer where they do not end. */
const SETTLE_MS = 100
const LONGEST_MS = 10_000

function greetServer({ capsule, channel, version, listener }: GreetingOptions): Handshake {
  const patience = createPatience(SETTLE_MS, LONGEST_MS)
  const tellUnusable = createUnusableTeller(capsule.name, listener)
  let isAsking = false
  let again = false

  async function ask(): Promise<void> {
    isAsking = true
    do {
      const pauseMs = patience.next(performance.now())
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      again = false
      try {
        listener.onTools(tellUnusable(await inTime(listTools(channel), capsule.startupTimeoutMs)))
      } catch (error) {
        listener.onBreach(wordsOf(error))
      }
    } while (again)
    isAsking = false
  }

  let asked = ''
  shakeHands(channel, version, (method) => {
    asked = method
  })
    .then((listed) => listener.onReady(tellUnusable(listed)))
    .catch((error: unknown) => listener.onFailed(wordsOf(error)))
  return {
    missing: () => `answer \`${asked}\``,
    onNotification(method) {
      if (method !== 'notifications/tools/list_changed') return
      again = true
      if (!isAsking) void ask()
    },
  }
}

/** A server that never answers is asked again when it speaks of its list the next time. */
async function inTime(listed: Promise<ListedTools>, ms: number): Promise<ListedTools> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const words = `did not answer \`tools/list\` within ${durationWords(ms)}`
    timer = setTimeout(() => reject(new HandshakeError(words)), ms)
  })
  return Promise.race([listed, late]).finally(() => clearTimeout(timer))
}

/** A list nested without end cannot even be written down. */
function wordsOf(error: unknown): string {
  if (error instanceof HandshakeError) return error.message
  return `offers tools that cannot be used: ${(error as Error).message}`
}
