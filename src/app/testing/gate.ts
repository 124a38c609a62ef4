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
): Promise<string[]> {
  const early = decideWithoutTests(subject.testFiles, config)
  if (early !== undefined) return early
  const isRequired = config.testOnInstall === 'require'
  if (subject.problem !== undefined) return isRequired ? [subject.problem] : []
  const kit = await loadTestKit()
  const local = { ...subject, tools: subject.tools.map(onThisMachine) }
  const denied = await deniedHere(local.tools, runtime)
  const others = new Map([...catalog.tools].map(([name, tool]) => [name, onThisMachine(tool)]))
  const { outcomes } = await runAll(readTests(local, kit), runtime, {
    kit,
    catalog: { ...catalog, tools: others },
    jobs: 1,
    repeat: 1,
    signal,
    obstacle: (tool) => denied.get(tool.name) ?? obstacleHere(tool, others),
  })
  const failed = outcomes.filter(({ status }) => status === 'failed')
  if (failed.length > 0) return failed.flatMap(({ name, reasons }) => reasons.map((one) => `${name}: ${one}`))
  const [first] = outcomes
  if (!isRequired || first === undefined || outcomes.some(({ status }) => status === 'passed')) return []
  return [`none of its tests can run here (${first.reasons[0]}), and \`test_on_install\` is require`]
}

/** What nothing holds here is not tried before somebody could use it. */
async function deniedHere(tools: readonly Tool[], runtime: OneOff): Promise<ReadonlyMap<string, string>> {
  const denied = new Map<string, string>()
  for (const tool of tools) {
    const why = await runtime.denied(tool)
    if (why !== undefined) denied.set(tool.name, `\`${tool.name}\` ${why}`)
  }
  return denied
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
