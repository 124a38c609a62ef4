import type { ChainStep, Json } from '../../model/index.ts'
import { type DraftStep, mappingOf } from './draft.ts'

/** Whether a chain does what a draft does, whatever its steps and its input are called. */
export function isSameChain(steps: readonly ChainStep[], draft: readonly DraftStep[]): boolean {
  const own = steps.map(({ step, outputKey, tool, input }) => ({
    tool,
    names: [step, outputKey],
    mapping: Object.fromEntries(
      Object.entries(input).map(([key, one]) => [key, one.kind === 'path' ? one.path : one.value]),
    ),
  }))
  const other = draft.map((one) => ({ tool: one.tool, names: [one.step], mapping: mappingOf(one) }))
  return plain(own) === plain(other)
}

interface Step {
  readonly tool: string
  /** By which its output is found. */
  readonly names: readonly string[]
  readonly mapping: Readonly<Record<string, Json>>
}

/** With the places of steps instead of their names. */
function plain(steps: readonly Step[]): string {
  const withPlace = (value: Json): Json => {
    const [, root, rest] = (typeof value === 'string' && /^\$\.([A-Za-z_][\w-]*)(.*)$/s.exec(value)) || []
    if (root === undefined) return { literal: value }
    return root === 'input'
      ? { input: true }
      : { step: steps.findIndex(({ names }) => names.includes(root)), rest: rest ?? '' }
  }
  return JSON.stringify(
    steps.map(({ tool, mapping }) => [
      tool,
      Object.keys(mapping)
        .sort()
        .map((key) => [key, withPlace(mapping[key] ?? null)]),
    ]),
  )
}
