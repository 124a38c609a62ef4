import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { eventually, NODE, ORLA, type Project } from './project.ts'

/** The program on a terminal of its own, where someone types. */
export interface Terminal {
  /** Everything on the screen so far. */
  screen(): string
  /** Waits until a text stands there so many times. */
  shows(text: string, times?: number): Promise<void>
  type(keys: string): void
  /** The exit status. */
  readonly ended: Promise<number | null>
}

export function openTerminal(project: Project, args: readonly string[]): Terminal {
  const { CI: _ci, ...env } = project.env
  const words = [NODE, ORLA, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', words, '/dev/null'], { cwd: project.dir, env, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk
  })
  const ended = once(child, 'close').then(([status]) => status as number | null) // 'close' carries the status
  return {
    screen: () => screen,
    ended,
    type: (keys) => void child.stdin.write(keys),
    async shows(text, times = 1) {
      await eventually(() => screen.split(text).length > times, `${text} on the screen:\n${screen}`)
    },
  }
}
