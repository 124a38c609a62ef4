import { within } from './children.mjs'
import { onLines } from './lines.mjs'

const ANSWER_MS = 60_000

/** JSON-RPC with a program at the other end of its pipes. No SDK: what a client costs is not Orla's cost. */
export function connect(child) {
  const waiting = new Map()
  let listener
  let nextId = 1
  const fail = (error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  child.once('exit', () => fail(new Error('the program ended before it answered')))
  onLines(child.stdout, (line) => {
    const at = performance.now()
    const message = JSON.parse(line)
    if (message.method !== undefined) {
      listener?.(message.method, at)
      return
    }
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error) asked?.reject(new Error(`${asked.method}: ${message.error.message}`))
    else asked?.resolve({ result: message.result, at })
  })

  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  /** Resolves to the result and the moment at which its line was complete. */
  function ask(method, params) {
    const id = nextId++
    return new Promise((resolve, reject) => {
      waiting.set(id, { method, resolve, reject })
      send({ id, method, params })
    })
  }

  return {
    ask,
    async initialize() {
      await within(ANSWER_MS, 'initialize', ask('initialize', INTRODUCTION))
      send({ method: 'notifications/initialized' })
    },
    async call(name) {
      const { result } = await ask('tools/call', { name, arguments: {} })
      if (result.isError) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`)
    },
    /** The moment at which the next notification of this kind arrives. */
    next(method) {
      const arrives = new Promise((resolve) => {
        listener = (name, at) => {
          if (name === method) resolve(at)
        }
      })
      return within(ANSWER_MS, method, arrives)
    },
  }
}

export const LEGACY = '2025-11-25'
export const INTRODUCTION = {
  protocolVersion: LEGACY,
  capabilities: {},
  clientInfo: { name: 'orla-bench', version: '1' },
}
