import { isJsonObject, isTextTooDeep, type Json } from '../model/index.ts'
import type { Readiness } from './contract.ts'
import type { Pending } from './pending.ts'

/** Lets the messages of a client in when they can be answered, in order. */
export interface Entrance {
  readonly take: (line: string) => void
  /** A message waits, and so does all that comes after it. */
  isHolding(): boolean
  /** The client has a list of tools, or something of it waits that is no list. */
  readonly looked: Promise<void>
}

export interface EntranceParts {
  /** Absent: everything can be answered. */
  readonly ready?: Readiness | undefined
  /** What waits is to be answered too. */
  readonly pending: Pending
  readonly onMessage: (message: Json) => void
  /** A message that nobody is to look into. */
  readonly onTooDeep: (message: Json) => void
  /** Nothing waits any more. */
  readonly onFree: () => void
}

export function createEntrance(parts: EntranceParts): Entrance {
  const { ready, pending, onMessage, onTooDeep, onFree } = parts
  let open = ready ? GREETINGS : undefined
  let waiting: string[] | undefined
  let look = () => {}
  const looked = new Promise<void>((resolve) => {
    look = resolve
  })
  void ready?.listable.then(() => widen(LISTS))
  void ready?.callable.then(() => widen(undefined))

  function widen(methods: ReadonlySet<string> | undefined): void {
    open = methods
    if (waiting === undefined) return
    const lines = waiting
    waiting = undefined
    for (const line of lines) take(line)
    pending.end()
    if (waiting === undefined) onFree()
  }

  function take(line: string): void {
    if (waiting !== undefined) return void waiting.push(line)
    const message = parsed(line)
    if (message === undefined) return
    if (isTextTooDeep(line)) {
      onTooDeep(message)
      return
    }
    const method = methodOf(message)
    if (open === undefined || open.has(method)) {
      onMessage(message)
      // What is answered in this turn leaves at its end.
      if (method === 'tools/list') setImmediate(() => void pending.idle().then(look))
      return
    }
    waiting = [line]
    pending.begin()
    if (open === LISTS) setImmediate(look)
  }

  return { take, isHolding: () => waiting !== undefined, looked }
}

/** What can be answered without knowing any tool. */
const GREETINGS: ReadonlySet<string> = new Set([
  'initialize',
  'notifications/initialized',
  'server/discover',
  'ping',
])
const LISTS: ReadonlySet<string> = new Set([...GREETINGS, 'tools/list'])

function methodOf(message: Json): string {
  return isJsonObject(message) && typeof message.method === 'string' ? message.method : ''
}

/** Lines that are not JSON are passed over, as the SDK does it. */
function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
