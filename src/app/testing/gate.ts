import type { TestOutcome } from '../../formats/index.ts'
import { type Catalog, type Config, EMPTY_CATALOG, type Tool } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OneOff } from '../one-off.ts'
import { runAll } from './run-all.ts'
import { loadTestKit, readTests, type TestSubject } from './subject.ts'

/**
 * What speaks against enabling a package, by its own tests; nothing when they pass. Only those are run that
 * need nothing but this machine: an install sends no requests in the name of whoever installs.
 */
export async function testBeforeInstall(
  subject: TestSubject,
  { config }: LoadedConfig,
  runtime: OneOff,
  signal: AbortSignal,
  catalog: Catalog = EMPTY_CATALOG,
  onPassed: (outcomes: readonly TestOutcome[]) => Promise<void> = async () => {},
): Promise<string[]> {
  const early = decideWithoutTests(subject.testFiles, config)
  if (early !== undefined) return early
  const isRequired = config.testOnInstall === 'require'
  if (subject.problem !== undefined) return isRequired ? [subject.problem] : []
  const kit = await loadTestKit()
  const { catalog: others, obstacle } = onlyHere(catalog)
  const { outcomes } = await runAll(readTests(localSubject(subject), kit), runtime, {
    kit,
    catalog: others,
    jobs: 1,
    repeat: 1,
    signal,
    obstacle,
  })
  const failed = outcomes.filter(({ status }) => status === 'failed')
  if (failed.length > 0) return failed.flatMap(({ name, reasons }) => reasons.map((one) => `${name}: ${one}`))
  await onPassed(outcomes)
  const [first] = outcomes
  if (!isRequired || first === undefined || outcomes.some(({ status }) => status === 'passed')) return []
  return [`none of its tests can run here (${first.reasons[0]}), and \`test_on_install\` is require`]
}

/** What speaks against a package where nothing has to be run to know it; undefined where something has. */
export function decideWithoutTests(
  testFiles: readonly string[],
  { testOnInstall }: Pick<Config, 'testOnInstall'>,
): string[] | undefined {
  if (testOnInstall === 'off') return []
  if (testFiles.length > 0) return undefined
  return testOnInstall === 'require' ? ['it brings no tests, and `test_on_install` is require'] : []
}

/** What else can be called with nothing but this machine, and what stands in the way of a tool there. */
export function onlyHere(catalog: Catalog): {
  readonly catalog: Catalog
  readonly obstacle: (tool: Tool) => string | undefined
} {
  const tools = new Map([...catalog.tools].map(([name, tool]) => [name, onThisMachine(tool)]))
  return { catalog: { ...catalog, tools }, obstacle: (tool) => obstacleHere(tool, tools) }
}

export function localSubject(subject: TestSubject): TestSubject {
  return { ...subject, tools: subject.tools.map(onThisMachine) }
}

/** One that cannot start would otherwise make way for one that is reached over the network. */
function onThisMachine(tool: Tool): Tool {
  const { run } = tool
  if (run.kind !== 'implementations') return tool
  return { ...tool, run: { ...run, candidates: run.candidates.filter(({ kind }) => kind === 'local') } }
}

const MAX_DEPTH = 16

/** Why a tool cannot be tried with nothing but this machine. */
function obstacleHere({ name, run }: Tool, others: ReadonlyMap<string, Tool>, depth = 0): string | undefined {
  if (run.kind === 'implementations' && run.candidates.length === 0) {
    return `\`${name}\` is reached over the network`
  }
  if (run.kind !== 'chain') return undefined
  for (const { tool: called } of run.steps) {
    const tool = others.get(called)
    if (tool === undefined || depth === MAX_DEPTH) return `\`${name}\` needs \`${called}\`, which is not here`
    const obstacle = obstacleHere(tool, others, depth + 1)
    if (obstacle !== undefined) return obstacle
  }
  return undefined
}
