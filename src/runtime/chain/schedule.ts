import { rootNames } from '../../formats/index.ts'
import type { ChainStep } from '../../model/index.ts'

/**
 * Which earlier steps each step waits for: those whose outputs it uses, and, unless one of the two may run beside
 * others, every one before it.
 */
export function dependenciesOf(steps: readonly ChainStep[]): number[][] {
  return steps.map((step, index) => {
    const used = pathsOf(step).map(rootNames)
    const names = used.flatMap((path) => path.names)
    const usesAll = used.some((path) => path.isOpen)
    return steps.slice(0, index).flatMap((earlier, position) => {
      const isUsed = usesAll || names.includes(earlier.step) || names.includes(earlier.outputKey)
      return isUsed || !(step.parallel || earlier.parallel) ? [position] : []
    })
  })
}

/** Starts each as soon as what it waits for is done. Resolves when all are, also when one throws. */
export async function runInOrder(
  dependencies: readonly (readonly number[])[],
  run: (index: number) => Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = []
  for (const [index, needed] of dependencies.entries())
    running.push(Promise.all(needed.flatMap((other) => running[other] ?? [])).then(() => run(index)))
  const ends = await Promise.allSettled(running)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

function pathsOf({ input, when, forEach }: ChainStep): string[] {
  const mapped = Object.values(input).flatMap((one) => (one.kind === 'path' ? [one.path] : []))
  return [...mapped, when, forEach].filter((path) => path !== undefined)
}
