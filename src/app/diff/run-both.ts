import { createDiscovery } from '../../catalog/index.ts'
import {
  baselineTest,
  compareShapes,
  compareTest,
  latencyShift,
  median,
  type TestComparison,
  type TestDiff,
  type TestOutcome,
} from '../../formats/index.ts'
import { EMPTY_CATALOG } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OneOff } from '../one-off.ts'
import { localSubject, onlyHere } from '../testing/gate.ts'
import { runAll } from '../testing/run-all.ts'
import { type FoundTest, loadTestKit, readTests, type TestKit, type TestSubject } from '../testing/subject.ts'
import { whereOf } from '../where.ts'

export interface BothOptions {
  readonly repeat: number
  readonly strict: boolean
  /** Only what needs nothing but this machine: a stranger's package sends no requests in anyone's name. */
  readonly local: boolean
  readonly signal: AbortSignal
}

/** The tests of both versions against both, each of them beside its other self, so that they share the weather. */
export async function runBoth(
  before: TestSubject,
  now: TestSubject,
  loaded: LoadedConfig,
  runtime: OneOff,
  { repeat, strict, local, signal }: BothOptions,
): Promise<TestComparison> {
  const kit = await loadTestKit()
  const [old, next] = local ? [localSubject(before), localSubject(now)] : [before, now]
  const pairs = pairTests(old, next, kit)
  const isChain = [...old.tools, ...next.tools].some(({ run }) => run.kind === 'chain')
  const catalog = isChain
    ? (await createDiscovery().scan(whereOf(loaded, undefined, runtime.integrity))).catalog
    : EMPTY_CATALOG
  const limits = local ? onlyHere(catalog) : { catalog }
  const tests = pairs.flatMap(({ test }) => [
    { ...test, subject: old },
    { ...test, subject: next },
  ])
  const { outcomes } = await runAll(tests, runtime, { ...limits, kit, jobs: 1, repeat, signal })
  const results = pairs.flatMap(({ of }, index) => {
    const [was, is] = [outcomes[index * 2], outcomes[index * 2 + 1]]
    return was === undefined || is === undefined ? [] : [{ of, was, is }]
  })
  const facts = { host: '', atOnce: 1, isStrict: strict }
  return {
    tests: results.map(sideBySide),
    // What a version promises its callers, its own tests say: those of the newer one bind only the newer one.
    regressions: results.flatMap(({ of, was, is }) =>
      of === 'now'
        ? []
        : compareTest(baselineTest(was, '', 1), is, facts).filter((found) => typeof found !== 'string'),
    ),
  }
}

interface Pair {
  readonly of: TestDiff['of']
  readonly test: FoundTest
}

/** A test that both versions bring in the same words is one test. */
function pairTests(before: TestSubject, now: TestSubject, kit: TestKit): Pair[] {
  const [old, next] = [readTests(before, kit), readTests(now, kit)]
  const isIn = (tests: readonly FoundTest[], test: FoundTest) =>
    tests.some(
      (one) => one.name === test.name && JSON.stringify(one.testCase) === JSON.stringify(test.testCase),
    )
  return [
    ...old.map((test): Pair => ({ of: isIn(next, test) ? 'both' : 'before', test })),
    ...next.filter((test) => !isIn(old, test)).map((test): Pair => ({ of: 'now', test })),
  ]
}

function sideBySide({ of, was, is }: { of: TestDiff['of']; was: TestOutcome; is: TestOutcome }): TestDiff {
  return {
    tool: is.tool,
    name: is.name,
    of,
    before: sideOf(was),
    now: sideOf(is),
    output: was.output && is.output ? compareShapes(was.output, is.output) : [],
    latency: latencyShift(was.samples, is.samples),
  }
}

function sideOf({ status, samples, reasons }: TestOutcome): TestDiff['now'] {
  return { status, ms: samples.length === 0 ? null : median(samples), reasons }
}
