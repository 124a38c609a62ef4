import { closeSync, openSync } from 'node:fs'

/** True when the terminal this process was started in has been closed. */
export function terminalIsGone(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}
