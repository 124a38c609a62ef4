import { relative } from 'node:path'
import {
  diffLines,
  judge,
  mergeShapes,
  type OutputShape,
  shapeOf,
  type TestCase,
  type TestOutcome,
} from '../../formats/index.ts'
import type { CallResult, CallTool, Catalog, Json, Output, Run, Tool } from '../../model/index.ts'
import { resultValue } from './result-value.ts'
import type { FoundTest, TestKit, TestSubject } from './subject.ts'

export interface Circumstances {
  readonly catalog: Catalog
  /** `timeoutMs`: for tools that name none of their own. */
  readonly callTool: (timeoutMs?: number) => CallTool
  readonly kit: TestKit
  readonly repeat: number
  readonly signal: AbortSignal
  /** Why a tool cannot be called here; undefined when it can. */
  readonly obstacle: (tool: Tool) => string | undefined
}

/** One test, as often as asked for. */
export async function runTest(test: FoundTest, circumstances: Circumstances): Promise<TestOutcome> {
  const { subject, name, testCase, problems } = test
  const file = relative(subject.folder, test.file)
  const tool = testCase === undefined ? subject.tools[0] : toolOf(subject, testCase)
  const base = {
    package: subject.name,
    tool: tool?.name ?? subject.name,
    version: tool?.version ?? '',
    name,
    file,
    ms: 0,
    runs: 0,
    failedRuns: 0,
    samples: [],
    diff: [],
  }
  if (testCase === undefined) return { ...base, status: 'failed', reasons: problems }
  if (tool === undefined) return { ...base, status: 'failed', reasons: [whichTool(subject, testCase)] }
  const obstacle = circumstances.obstacle(tool)
  if (obstacle !== undefined) return { ...base, status: 'skipped', reasons: [obstacle] }

  let failedRuns = 0
  let total = 0
  let first: Verdict = { reasons: [], diff: [] }
  const samples: number[] = []
  let output: OutputShape | undefined
  for (let run = 0; run < circumstances.repeat; run++) {
    const result = await callWithin(testCase, tool, circumstances)
    total += result.ms
    const { value, ...verdict } = verdictOn(testCase, result, circumstances.kit)
    if (value !== undefined) {
      // The first of several finds nothing warm: its time is not that of the others.
      if (run > 0 || circumstances.repeat === 1) samples.push(result.ms)
      output = output === undefined ? shapeOf(value) : mergeShapes([output, shapeOf(value)])
    }
    if (verdict.reasons.length === 0) continue
    if (failedRuns++ === 0) first = verdict
  }
  const runs = circumstances.repeat
  const status = failedRuns === 0 ? 'passed' : 'failed'
  const found = { status, ms: total / runs, runs, failedRuns, samples } as const
  return { ...base, ...first, ...found, ...(output === undefined ? {} : { output }) }
}

/** A package with one tool need not name it. */
function toolOf({ name, tools }: TestSubject, testCase: TestCase): Tool | undefined {
  if (testCase.tool === undefined) return tools.length === 1 ? tools[0] : undefined
  return tools.find((tool) => tool.name === testCase.tool || tool.name === `${name}.${testCase.tool}`)
}

function whichTool({ name, tools, problem }: TestSubject, testCase: TestCase): string {
  if (tools.length === 0) return problem ?? `\`${name}\` offers no tools`
  const prefix = `${name}.`
  const known = tools
    .map((tool) => (tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name))
    .join(', ')
  return testCase.tool === undefined
    ? `does not say which \`tool\` it is about; there are ${known}`
    : `there is no tool \`${testCase.tool}\`; there are ${known}`
}

/** The time a test names holds also where the tool would give itself more. */
async function callWithin(
  testCase: TestCase,
  tool: Tool,
  { catalog, callTool, signal }: Circumstances,
): Promise<CallResult> {
  const { timeoutMs } = testCase
  const within = (ms: number) =>
    new Map(catalog.tools).set(tool.name, { ...tool, run: limited(tool.run, ms) })
  return callTool(timeoutMs)({
    catalog: timeoutMs === undefined ? catalog : { ...catalog, tools: within(timeoutMs) },
    name: tool.name,
    arguments: testCase.input,
    signal,
    caller: { connection: 'test', requestId: testCase.name, transport: 'cli', era: 'none' },
  })
}

/** Counted where every other time limit is: from when the tool runs, not from when it is looked for. */
function limited(run: Run, mostMs: number): Run {
  const within = ({ timeoutMs }: { readonly timeoutMs?: number }) => Math.min(timeoutMs || mostMs, mostMs)
  const timeoutMs = within(run)
  if (run.kind !== 'implementations') return { ...run, timeoutMs }
  const candidates = run.candidates.map((one) => ({ ...one, timeoutMs: within(one) }))
  return { ...run, timeoutMs, candidates }
}

type Verdict = Pick<TestOutcome, 'reasons' | 'diff'>

function verdictOn(
  testCase: TestCase,
  result: CallResult,
  kit: TestKit,
): Verdict & { readonly value?: Json } {
  if (!result.ok) return { reasons: [result.message, ...lastWords(result.output)], diff: [] }
  const value = resultValue(result.output)
  const { expected } = testCase
  return {
    value,
    reasons: judge(testCase, value, kit.jsonPath, kit),
    diff: expected === undefined ? [] : diffLines(expected, value),
  }
}

const MOST_SHOWN = 1000

/** What a program said before it failed is often the reason. */
function lastWords(output: Output): string[] {
  const words = output.kind === 'streams' || output.kind === 'value' ? output.stderr.text.trim() : ''
  return words === '' ? [] : [`stderr: ${words.slice(-MOST_SHOWN)}`]
}
