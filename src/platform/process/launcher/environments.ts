import type { FrameWriter } from './frame-writer.ts'
import { numbersFrame } from './frame-writer.ts'
import { TEMPLATES_MAX, TO } from './protocol.ts'

/** Environments repeat from call to call: the launcher learns each once and is told its number afterwards. */
export interface Environments {
  /** The number of the environment without its marker. May throw what the writer throws. */
  numberOf(env: Readonly<Record<string, string>>): number
}

/** Fewer than the launcher takes: a server has a handful, unless every call brings its own. */
const KEPT = Math.min(64, TEMPLATES_MAX - 1)

export function createEnvironments(writer: FrameWriter, send: (frame: Buffer) => void): Environments {
  /** By content, the least recently used first. */
  const numbers = new Map<string, number>()

  /** Nothing has changed when the writer throws. */
  function define(text: string, entries: readonly string[]): number {
    const [oldest] = numbers.size < KEPT ? [] : numbers
    const number = oldest?.[1] ?? numbers.size + 1
    writer.begin(TO.DEFINE, number)
    writer.strings(entries)
    const frame = writer.end()
    if (oldest !== undefined) {
      numbers.delete(oldest[0])
      send(numbersFrame(TO.FORGET, number))
    }
    send(frame)
    numbers.set(text, number)
    return number
  }

  return {
    numberOf(env) {
      const entries: string[] = []
      for (const name of Object.keys(env)) if (name !== 'MCP_RUN') entries.push(`${name}=${env[name]}`)
      // With their number: a value that contains a NUL is not to pass for two entries.
      const text = `${entries.length}\0${entries.join('\0')}`
      const known = numbers.get(text)
      if (known === undefined) return define(text, entries)
      numbers.delete(text)
      numbers.set(text, known)
      return known
    },
  }
}
