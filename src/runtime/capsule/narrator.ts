import { type CapsuleLogLine, escapeControls, type Log } from '../../model/index.ts'

/** Tells the log, and keeps for `logs`, what a capsule says and what happens to it; bounded in lines and bytes. */
export interface Narrator {
  /** The capsule says something. */
  readonly hear: (source: CapsuleLogLine['source'], text: string) => void
  /** Orla says something about it. */
  readonly say: (level: 'info' | 'warn', text: string) => void
  readonly lines: () => CapsuleLogLine[]
}

const MOST_LINES = 200
const MOST_CHARACTERS = 64 * 1024
/** Of one line: a flood without line ends does not push everything else out. */
const LONGEST_LINE = 4 * 1024

/** `hide` takes out what nobody may read. */
export function createNarrator(
  capsule: string,
  log: Log,
  hide: (text: string) => string = (text) => text,
): Narrator {
  const lines: CapsuleLogLine[] = []
  let characters = 0

  function keep(source: CapsuleLogLine['source'], text: string): void {
    lines.push({ time: new Date().toISOString(), source, text })
    characters += text.length
    while (lines.length > MOST_LINES || characters > MOST_CHARACTERS) {
      characters -= lines.shift()?.text.length ?? 0
    }
  }
  return {
    hear(source, said) {
      const text = shorten(hide(said))
      keep(source, text)
      log.debug(text, { capsule, source })
    },
    say(level, said) {
      const text = shorten(hide(said))
      keep('orla', text)
      log[level](`capsule ${capsule}: ${text}`, { capsule })
    },
    lines: () => [...lines],
  }
}

function shorten(said: string): string {
  const text = escapeControls(said.slice(0, LONGEST_LINE)).slice(0, LONGEST_LINE)
  return said.length > LONGEST_LINE ? `${text}…` : text
}
