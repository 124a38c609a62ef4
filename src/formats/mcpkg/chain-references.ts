import { nearest } from '../../model/index.ts'
import type { JsonPath } from '../jsonpath.ts'
import type { Issue, Path } from '../shape.ts'
import type { ReadStep } from './chain.ts'
import { rootNames } from './root-names.ts'

/** What could not be read leaves a hole. */
type Steps = readonly (ReadStep | undefined)[]

const MAX_STEPS = 256
/** Whoever has so many problems is not helped by more. */
const ENOUGH = 100

/** What is wrong between the steps of a chain: names that stand twice, paths that are none or lead nowhere. */
export function checkChain(steps: Steps, jsonPath: JsonPath): Issue[] {
  if (steps.length === 0) {
    return [{ path: ['chain'], message: 'must have at least one step' }]
  }
  if (steps.length > MAX_STEPS) {
    return [{ path: ['chain'], message: `must not have more than ${MAX_STEPS} steps` }]
  }
  const issues: Issue[] = []
  for (const [index, step] of steps.entries()) {
    issues.push(...checkNames(steps, index))
    for (const use of step === undefined ? [] : pathsOf(step, index)) {
      const flaw = jsonPath.check(use.written)
      issues.push(...(flaw ? [{ path: use.path, ...flaw }] : checkReferences(use, steps, index)))
    }
    if (issues.length > ENOUGH) return issues
  }
  return issues
}

interface Use {
  readonly written: string
  /** Where it stands in the manifest. */
  readonly path: Path
  /** Names known here beside `input` and the outputs. */
  readonly own: readonly string[]
}

function pathsOf({ input, when, forEach }: ReadStep, index: number): Use[] {
  const at = ['chain', index]
  const own = forEach === undefined ? [] : ['item', 'index']
  return [
    ...Object.entries(input).flatMap(([key, one]) =>
      one.kind === 'path' ? [{ written: one.path, path: [...at, 'inputMapping', key], own }] : [],
    ),
    ...(when === undefined ? [] : [{ written: when, path: [...at, 'when'], own: [] }]),
    ...(forEach === undefined ? [] : [{ written: forEach, path: [...at, 'forEach'], own: [] }]),
  ]
}

/** Step names and output keys share one space: each finds an output. */
function checkNames(steps: Steps, index: number): Issue[] {
  const step = steps[index]
  if (step === undefined) return []
  const before = steps.slice(0, index).flatMap((other) => [other?.step, other?.outputKey])
  return (['step', 'outputKey'] as const).flatMap((key) => {
    if (step[key] === undefined || !before.includes(step[key])) return []
    if (key === 'outputKey' && step.outputKey === step.step) return []
    return [
      {
        path: ['chain', index, key],
        message: `\`${step[key]}\` is already the name of an earlier step or output`,
      },
    ]
  })
}

function checkReferences({ written, path, own }: Use, steps: Steps, index: number): Issue[] {
  const earlier = namesOf(steps.slice(0, index))
  const known = ['input', ...own, ...earlier]
  return rootNames(written)
    .names.filter((name) => !known.includes(name))
    .flatMap((name) => describe(name) ?? [])
    .map((flaw) => ({ path, ...flaw }))

  function describe(name: string): Omit<Issue, 'path'> | undefined {
    const current = steps[index]
    if (current && namesOf([current]).includes(name)) {
      return { message: `refers to \`${name}\`, which is the output of this very step` }
    }
    if (namesOf(steps.slice(index + 1)).includes(name)) {
      return {
        message: `refers to \`${name}\`, which comes only later`,
        hint: 'move that step before this one',
      }
    }
    if (name === 'item' || name === 'index') {
      return {
        message: `refers to \`${name}\`, which is known only in the inputMapping of a step with forEach`,
      }
    }
    if (steps.some(isNameless)) return undefined
    const close = nearest(name, known)
    return {
      message: `refers to \`${name}\`, which no step before it gives`,
      hint: close === undefined ? `there are ${known.join(', ')}` : `did you mean $.${close}?`,
    }
  }
}

function namesOf(steps: Steps): string[] {
  const names = steps.flatMap((one) => [one?.outputKey, one?.step])
  return [...new Set(names.filter((name) => name !== undefined))]
}

/** Its output may be the very one that is referred to. */
function isNameless(step: ReadStep | undefined): boolean {
  return step?.step === undefined || step.outputKey === undefined
}
