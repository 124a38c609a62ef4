import { createHash } from 'node:crypto'
import { arch, cpus, hostname, platform } from 'node:os'

/** The same on the same machine, and telling nobody which one that is: times of two machines are not compared. */
export function hostMark(): string {
  const processors = cpus()
  const facts = [hostname(), platform(), arch(), processors[0]?.model ?? '', processors.length]
  return createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 16)
}
