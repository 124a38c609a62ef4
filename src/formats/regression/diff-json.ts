import type { JsonObject } from '../../model/index.ts'
import type { LatencyShift } from './latency-shift.ts'
import type { PackageDiff, PackageFace, TestDiff, TestSide, ToolDiff } from './package-diff.ts'
import { numbersJson, regressionJson, shapeChangeJson } from './regression.ts'
import type { SchemaChange } from './schema-changes.ts'
import { whatBreaks } from './what-breaks.ts'

/** Two versions side by side for scripts, with keys that stay. */
export function packageDiffJson(diff: PackageDiff): JsonObject {
  const { before, now, permissions, hooks, implementations, tools, tests, notRun } = diff
  const breaks = whatBreaks(diff)
  return {
    name: now.name,
    before: sideJson(before),
    now: sideJson(now),
    breaking: breaks.length > 0,
    breaks,
    description:
      before.description === now.description ? null : { before: before.description, now: now.description },
    permissions: { added: permissions.added, removed: permissions.removed },
    hooks: { added: hooks.added, removed: hooks.removed },
    implementations: {
      added: implementations.added,
      removed: implementations.removed,
      changed: implementations.changed.map(({ id, ...words }) => ({ id, ...words })),
    },
    tools: {
      added: tools.added.map((name) => name || now.name),
      removed: tools.removed.map((name) => name || before.name),
      changed: tools.changed.map(toolJson),
    },
    tests: tests === null ? null : tests.tests.map(testJson),
    tests_not_run: notRun ?? null,
    regressions: tests === null ? [] : tests.regressions.map(regressionJson),
  }
}

function sideJson({ name, version, from }: PackageFace): JsonObject {
  return { name, version, from }
}

function toolJson({ name, description, input, output }: ToolDiff): JsonObject {
  return {
    name,
    description: description === undefined ? null : { ...description },
    input: input.map(schemaChangeJson),
    output: output.map(schemaChangeJson),
  }
}

function schemaChangeJson({ path, change, before, now, breaking }: SchemaChange): JsonObject {
  return { path, change, before, now, breaking }
}

function testJson({ tool, name, of, before, now, output, latency }: TestDiff): JsonObject {
  return {
    tool,
    name,
    of,
    before: testSideJson(before),
    now: testSideJson(now),
    output: output.map(shapeChangeJson),
    latency: latencyJson(latency),
  }
}

function testSideJson({ status, ms, reasons }: TestSide): JsonObject {
  return { status, ms: ms === null ? null : Math.round(ms * 100) / 100, failures: reasons }
}

function latencyJson(latency: LatencyShift): JsonObject {
  if (latency.kind === 'unknown') return { shift: 'unknown' }
  return { shift: latency.kind, ...numbersJson(latency.numbers) }
}
