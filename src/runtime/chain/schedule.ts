import { rootNames } from '../../formats/index.ts'
import type { ChainStep } from '../../model/index.ts'

/** What is known of a step before it runs. */
export interface Place {
  /** The steps it waits for. */
  readonly waitsFor: readonly number[]
  /** The earlier steps whose outputs its paths may look at. */
  readonly looksAt: readonly number[]
}

const known = new WeakMap<readonly ChainStep[], readonly Place[]>()

/** The place of each step among the others; worked out once for a chain. */
export function placesOf(steps: readonly ChainStep[]): readonly Place[] {
  const places = known.get(steps) ?? workOut(steps)
  known.set(steps, places)
  return places
}

function workOut(steps: readonly ChainStep[]): Place[] {
  const looks = steps.map(looksAt)
  const before: ReadonlySet<number>[] = []
  return looks.map((used, index) => {
    const needed = steps.flatMap((earlier, position) => {
      if (position >= index) return []
      const mayRunBeside = steps[index]?.parallel || earlier.parallel
      return used.includes(position) || !mayRunBeside ? [position] : []
    })
    const all = new Set(needed.flatMap((position) => [position, ...(before[position] ?? [])]))
    before.push(all)
    // Whoever waits for the last one waits for those that one waited for.
    const waitsFor = needed.filter((one) => !needed.some((other) => before[other]?.has(one)))
    return { waitsFor, looksAt: used }
  })
}

function looksAt(step: ChainStep, index: number, steps: readonly ChainStep[]): number[] {
  const used = pathsOf(step).map(rootNames)
  const names = new Set(used.flatMap((path) => path.names))
  const isOpen = used.some((path) => path.isOpen)
  return steps
    .slice(0, index)
    .flatMap((earlier, position) =>
      isOpen || names.has(earlier.step) || names.has(earlier.outputKey) ? [position] : [],
    )
}

/** Starts each as soon as what it waits for is done. Resolves when all are, also when one throws. */
export async function runInOrder(
  places: readonly Place[],
  run: (index: number) => Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = []
  for (const [index, { waitsFor }] of places.entries())
    running.push(Promise.all(waitsFor.flatMap((other) => running[other] ?? [])).then(() => run(index)))
  const ends = await Promise.allSettled(running)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

function pathsOf({ input, when, forEach }: ChainStep): string[] {
  const mapped = Object.values(input).flatMap((one) => (one.kind === 'path' ? [one.path] : []))
  return [...mapped, when, forEach].filter((path) => path !== undefined)
}
