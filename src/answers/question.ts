import { join } from 'node:path'

/** They only look: as long as what they looked at is the same, so is their answer. */
const COMMANDS: readonly string[] = ['list']

/** What a command was asked, and by whom: everything its answer depends on beside variables and files. */
export interface Question {
  readonly text: string
  /** Where the answer is kept. */
  readonly file: string
}

export interface Asked {
  /** Which build of the program answers, and what it was called. */
  readonly program: readonly string[]
  readonly words: readonly string[]
  readonly cwd: string
  /** Where Orla keeps what is its own. */
  readonly home: string
  /** Who asks: what may be read depends on it. */
  readonly user: readonly (number | undefined)[]
  /** How wide the terminals are that print it, undefined where there is none. */
  readonly widths: readonly (number | undefined)[]
}

export function keepsAnswers(command: string | undefined): boolean {
  return COMMANDS.includes(command ?? '')
}

export function questionOf({ program, words, cwd, home, user, widths }: Asked): Question {
  const text = JSON.stringify([program, words, cwd, home, user, widths])
  return { text, file: join(home, 'cache/answers', nameFor(text)) }
}

/** Two questions may come to share a name; the file says which one it answers. */
function nameFor(text: string): string {
  let [a, b] = [0x811c9dc5, text.length]
  for (let at = 0; at < text.length; at++) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193)
    b = Math.imul(b ^ a, 0x85ebca6b)
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
