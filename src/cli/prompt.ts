import { createInterface } from 'node:readline'
import type { World } from '../app/index.ts'
import { OrlaError } from '../model/index.ts'

/** Someone is there to be asked: both ends are terminals and nobody said otherwise. */
export function canAsk(world: World): boolean {
  return world.stdin.isTTY === true && world.stderr.isTTY === true && !world.env.CI
}

/**
 * A yes-or-no question on the terminal; anything but a clear yes is a no, the end of the input (Ctrl-D) too.
 * Ctrl-C and signals interrupt the command.
 */
export async function confirm(world: World, question: string): Promise<boolean> {
  const lines = createInterface({ input: world.stdin, output: world.stderr })
  const releases: (() => void)[] = []
  try {
    return await new Promise<boolean>((resolve, reject) => {
      const interrupt = () => {
        world.stderr.write('\n')
        reject(new OrlaError('E_INTERRUPTED', 'interrupted at the question'))
      }
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
        releases.push(world.onSignal(name, interrupt))
      // While it reads, the terminal hands over Ctrl-C as a key.
      lines.on('SIGINT', interrupt)
      lines.on('close', () => {
        world.stderr.write('\n')
        resolve(false)
      })
      lines.question(`${question} [y/N] `, (answer) => resolve(/^y(es)?$/i.test(answer.trim())))
    })
  } finally {
    for (const release of releases) release()
    lines.removeAllListeners('close')
    lines.close()
  }
}
