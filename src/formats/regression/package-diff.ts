import type { JsonSchema } from '../../model/index.ts'
import { addedPermissions } from '../permission-set.ts'
import type { LatencyShift } from './latency-shift.ts'
import type { Regression } from './regression.ts'
import { compareSchemas, type SchemaChange } from './schema-changes.ts'
import type { ShapeChange } from './shape-changes.ts'

/** What a caller, or whoever installs it, sees of a package. */
export interface PackageFace {
  readonly name: string
  readonly version: string
  /** Where it was found, for people. */
  readonly from: string
  readonly description: string
  readonly permissions: readonly string[] | null
  readonly hooks: readonly string[]
  readonly implementations: readonly { readonly id: string; readonly what: string }[]
  readonly tools: readonly ToolFace[]
}

export interface ToolFace {
  readonly name: string
  readonly description: string
  readonly inputSchema?: JsonSchema | undefined
  readonly outputSchema?: JsonSchema
}

/** Two versions of a package side by side. */
export interface PackageDiff {
  readonly before: PackageFace
  readonly now: PackageFace
  readonly permissions: Exchange
  readonly hooks: Exchange
  readonly implementations: Exchange & { readonly changed: readonly ChangedWords[] }
  readonly tools: Exchange & { readonly changed: readonly ToolDiff[] }
  /** Null when none were run; `notRun` says why. */
  readonly tests: TestComparison | null
  readonly notRun?: string
}

export interface Exchange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export interface ChangedWords {
  readonly id: string
  readonly before: string
  readonly now: string
}

export interface ToolDiff {
  readonly name: string
  readonly description?: { readonly before: string; readonly now: string }
  readonly input: readonly SchemaChange[]
  readonly output: readonly SchemaChange[]
}

/** The tests of both versions, run against both. */
export interface TestComparison {
  readonly tests: readonly TestDiff[]
  readonly regressions: readonly Regression[]
}

export interface TestDiff {
  readonly tool: string
  readonly name: string
  /** Which version brings it; the same test of both is run once against each. */
  readonly of: 'before' | 'now' | 'both'
  readonly before: TestSide
  readonly now: TestSide
  readonly output: readonly ShapeChange[]
  readonly latency: LatencyShift
}

export interface TestSide {
  readonly status: 'passed' | 'failed' | 'skipped'
  /** The median; null when no run gave a result. */
  readonly ms: number | null
  readonly reasons: readonly string[]
}

/** What can be said without running anything. */
export function compareFaces(before: PackageFace, now: PackageFace): Omit<PackageDiff, 'tests' | 'notRun'> {
  const ways = (face: PackageFace) => new Map(face.implementations.map(({ id, what }) => [id, what]))
  const tools = (face: PackageFace) => new Map(face.tools.map((tool) => [relativeName(tool, face), tool]))
  const [oldWays, newWays] = [ways(before), ways(now)]
  const [oldTools, newTools] = [tools(before), tools(now)]
  return {
    before,
    now,
    permissions: {
      added: addedPermissions(before.permissions, now.permissions),
      removed: addedPermissions(now.permissions, before.permissions),
    },
    hooks: exchange(before.hooks, now.hooks),
    implementations: {
      ...exchange([...oldWays.keys()], [...newWays.keys()]),
      changed: [...oldWays].flatMap(([id, was]) => {
        const is = newWays.get(id)
        return is === undefined || is === was ? [] : [{ id, before: was, now: is }]
      }),
    },
    tools: {
      ...exchange([...oldTools.keys()], [...newTools.keys()]),
      changed: [...oldTools].flatMap(([name, was]) => {
        const is = newTools.get(name)
        return is === undefined ? [] : toolDiff(name, was, is)
      }),
    },
  }
}

/** Two packages may be compared that are not called the same: the tool that is the package is the same then. */
function relativeName({ name }: ToolFace, face: PackageFace): string {
  return name === face.name ? '' : name.startsWith(`${face.name}.`) ? name.slice(face.name.length + 1) : name
}

function toolDiff(name: string, was: ToolFace, is: ToolFace): ToolDiff[] {
  const input = compareSchemas(was.inputSchema, is.inputSchema, 'input')
  const output = compareSchemas(was.outputSchema, is.outputSchema, 'output')
  const isSame = was.description === is.description
  if (isSame && input.length === 0 && output.length === 0) return []
  const description = isSame ? {} : { description: { before: was.description, now: is.description } }
  return [{ name: name === '' ? is.name : name, input, output, ...description }]
}

function exchange(before: readonly string[], now: readonly string[]): Exchange {
  return {
    added: now.filter((one) => !before.includes(one)),
    removed: before.filter((one) => !now.includes(one)),
  }
}
