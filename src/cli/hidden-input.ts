import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { World } from '../app/index.ts'
import { OrlaError } from '../model/index.ts'

/** A line from the terminal that does not appear on it. Ctrl-C and Ctrl-D end the command. */
export async function askHidden(world: World, question: string): Promise<string> {
  // A terminal echoes nothing while a reader of lines draws them itself, and this one draws nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: world.stdin, output: nowhere, terminal: true })
  // Only now: who types at once would otherwise see it.
  world.stderr.write(`${question} `)
  try {
    return await new Promise<string>((resolve, reject) => {
      const interrupt = () => reject(new OrlaError('E_INTERRUPTED', 'interrupted at the question'))
      lines.on('SIGINT', interrupt)
      lines.on('close', interrupt)
      lines.question('', resolve)
    })
  } finally {
    lines.removeAllListeners('close')
    lines.close()
    world.stderr.write('\n')
  }
}
