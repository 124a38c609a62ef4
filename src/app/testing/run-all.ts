import type { TestOutcome, TestReport } from '../../formats/index.ts'
import type { CallTool, Catalog, Tool } from '../../model/index.ts'
import type { OneOff } from '../one-off.ts'
import { runTest } from './run-case.ts'
import type { FoundTest, TestKit, TestSubject } from './subject.ts'

export interface RunOptions {
  readonly kit: TestKit
  /** Tools beside those of the packages that are tested: a chain calls others. */
  readonly catalog: Catalog
  readonly jobs: number
  readonly repeat: number
  readonly signal: AbortSignal
  readonly obstacle?: (tool: Tool) => string | undefined
  /** Hears each outcome in the order of the tests. */
  readonly onOutcome?: (outcome: TestOutcome) => void
}

/** Several at once, told in their order. */
export async function runAll(
  tests: readonly FoundTest[],
  runtime: OneOff,
  options: RunOptions,
): Promise<TestReport> {
  const { kit, jobs, repeat, signal, obstacle = () => undefined, onOutcome = () => {} } = options
  const begun = performance.now()
  const catalogs = new Map<TestSubject, Catalog>()
  const catalogOf = (subject: TestSubject) => {
    const known = catalogs.get(subject) ?? withTools(options.catalog, subject.tools)
    catalogs.set(subject, known)
    return known
  }
  const outcomes: TestOutcome[] = []
  const finished = new Map<number, TestOutcome>()
  let next = 0

  async function lane(): Promise<void> {
    const callTool = keepByTimeout(runtime)
    for (let index = next++; index < tests.length && !signal.aborted; index = next++) {
      const test = tests[index]
      if (test === undefined) return
      const catalog = catalogOf(test.subject)
      finished.set(index, await runTest(test, { catalog, callTool, kit, repeat, signal, obstacle }))
      tell()
    }
  }

  function tell(): void {
    for (let one = finished.get(outcomes.length); one; one = finished.get(outcomes.length)) {
      finished.delete(outcomes.length)
      outcomes.push(one)
      onOutcome(one)
    }
  }

  await Promise.all(Array.from({ length: Math.min(jobs, tests.length) }, lane))
  return { outcomes, ms: performance.now() - begun }
}

/** Each lane has a runtime for itself, because one runs one call at a time. Tokens are kept in it. */
function keepByTimeout(runtime: OneOff): (timeoutMs?: number) => CallTool {
  const made = new Map<number | undefined, CallTool>()
  return (timeoutMs) => {
    const known = made.get(timeoutMs) ?? runtime.callTool({ timeoutMs })
    made.set(timeoutMs, known)
    return known
  }
}

function withTools(catalog: Catalog, tools: readonly Tool[]): Catalog {
  return {
    ...catalog,
    tools: new Map([...catalog.tools, ...tools.map((tool) => [tool.name, tool] as const)]),
  }
}
