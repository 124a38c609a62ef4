import type { Outlet } from '../app/index.ts'
import { oneLine } from '../model/index.ts'

/** What is going on, one line for each thing, redrawn in place. Silent where nobody watches. */
export interface Progress {
  /** An empty state takes the line of the subject away. */
  update(subject: string, state: string): void
  /** Removes the lines again; what stays is printed by the command. */
  clear(): void
}

export function createProgress(stream: Outlet, enabled: boolean): Progress {
  const states = new Map<string, string>()
  let drawn = 0
  const erase = () => {
    if (drawn > 0) stream.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }
  return {
    update(subject, state) {
      if (!enabled || states.get(subject) === state) return
      if (state === '') states.delete(subject)
      else states.set(subject, state)
      erase()
      // A terminal that does not know its size says 0. More lines than the screen holds could not be taken back.
      const lines = [...states].slice(-Math.max(1, (stream.rows || 24) - 2))
      const width = (stream.columns || 80) - 1
      stream.write(lines.map(([name, what]) => `${oneLine(`${name}: ${what}`).slice(0, width)}\n`).join(''))
      drawn = lines.length
    },
    clear() {
      erase()
      states.clear()
    },
  }
}
