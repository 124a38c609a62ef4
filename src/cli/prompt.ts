import { createInterface } from 'node:readline/promises'
import type { World } from '../app/index.ts'

/** Someone is there to be asked: both ends are terminals and nobody said otherwise. */
export function canAsk(world: World): boolean {
  return world.stdin.isTTY === true && world.stderr.isTTY === true && !world.env.CI
}

/** A yes-or-no question on the terminal; anything but a clear yes is a no. */
export async function confirm(world: World, question: string): Promise<boolean> {
  const lines = createInterface({ input: world.stdin, output: world.stderr })
  try {
    const answer = await lines.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
