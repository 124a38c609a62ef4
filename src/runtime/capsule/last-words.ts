import { escapeControls } from '../../model/index.ts'

/** The end of what one process wrote to stderr, for the message that says how it ended. */
export interface LastWords {
  add(line: string): void
  /** The last line that is not blank, or an empty text. */
  last(): string
  /** Up to ten lines. */
  all(): string
}

const MOST_LINES = 10
const MOST_CHARACTERS = 2 * 1024
const LONGEST_LAST = 500

export function createLastWords(): LastWords {
  const lines: string[] = []
  return {
    add(line) {
      const text = escapeControls(line.slice(0, MOST_CHARACTERS)).trim()
      if (text === '') return
      lines.push(text)
      if (lines.length > MOST_LINES) lines.shift()
    },
    last: () => (lines.at(-1) ?? '').slice(0, LONGEST_LAST),
    all() {
      const text = lines.join('\n')
      return text.length > MOST_CHARACTERS ? `…${text.slice(-MOST_CHARACTERS)}` : text
    },
  }
}
