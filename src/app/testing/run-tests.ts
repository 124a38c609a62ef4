import { resolve } from 'node:path'
import type { TestOutcome, TestReport } from '../../formats/index.ts'
import { OrlaError, type Problem } from '../../model/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from '../config.ts'
import { openOneOff } from '../one-off.ts'
import { interruptible } from '../packages/install.ts'
import type { World } from '../world.ts'
import { openBaseline } from './baseline.ts'
import type { AskBeforeTests } from './consent.ts'
import { type Found, findSubjects, isArchive, isOneTest } from './find-subjects.ts'
import { recordTests } from './record-tests.ts'
import { runAll } from './run-all.ts'
import { type FoundTest, loadTestKit, readTests } from './subject.ts'

export interface TestRequest {
  /** A folder, a file or a name; null for every installed package. */
  readonly what: string | null
  /** Part of the name of a test or of its tool. */
  readonly filter?: string
  readonly repeat: number
  /** How many at once. */
  readonly jobs?: number
  /** Later runs are compared with what this one finds. */
  readonly storeBaseline?: boolean
  /** What takes longer than in the baseline fails, too. */
  readonly strict?: boolean
  /** Before anything of an archive runs; without it that is refused where it asks for something. */
  readonly ask?: AskBeforeTests
}

export interface TestRun extends TestReport {
  /** What was looked at, tests or none. */
  readonly names: readonly string[]
  readonly folders: readonly string[]
  /** What was found beside it and could not be tested. */
  readonly problems: readonly Problem[]
}

/** A machine that is not busy with this alone runs few programs at once better than many. */
const DEFAULT_JOBS = 8

/** Runs the tests of packages. Ctrl-C ends what runs; what had an outcome by then was told. */
export async function runTests(
  world: World,
  config: ConfigRequest,
  request: TestRequest,
  onOutcome: (outcome: TestOutcome) => void = () => {},
): Promise<TestRun> {
  const loaded = await loadConfig(world, config)
  return interruptible(world, async (signal) => {
    const run = await runOnce(world, loaded, request, signal, onOutcome)
    if (signal.aborted) throw new OrlaError('E_INTERRUPTED', 'interrupted; the other tests were not run')
    return run
  })
}

export async function runOnce(
  world: World,
  loaded: LoadedConfig,
  request: TestRequest,
  signal: AbortSignal,
  onOutcome: (outcome: TestOutcome) => void,
): Promise<TestRun> {
  const { what, filter, repeat, jobs, ask = async () => undefined } = request
  // A damaged one is told before anything runs.
  const concludeBaseline = openBaseline(loaded, request)
  const isStranger = what !== null && isArchive(resolve(world.cwd, what))
  const runtime = openOneOff(world, loaded, { trial: isStranger ? 'stranger' : 'accepted' })
  let found: Found | undefined
  try {
    found = await findSubjects(what, world, loaded, runtime, ask)
    const { subjects, catalog, problems } = found
    if (subjects.length === 0) {
      throw new OrlaError('E_NOT_FOUND', 'there are no packages here', {
        hint: '`orla install NAME` installs one, `orla new NAME` starts one',
      })
    }
    const kit = await loadTestKit()
    const all = subjects.flatMap((subject) => readTests(subject, kit))
    const wanted = filter?.toLowerCase()
    const tests =
      wanted === undefined
        ? all
        : all.filter(({ subject, name }) => `${subject.name}: ${name}`.toLowerCase().includes(wanted))
    if (all.length > 0 && tests.length === 0) {
      throw new OrlaError('E_NOT_FOUND', `no test has ${JSON.stringify(filter)} in its name`, {
        hint: `there are ${someNames(all)}`,
      })
    }
    const width = jobs ?? Math.min(DEFAULT_JOBS, loaded.config.limits.concurrency)
    const report = await runAll(tests, runtime, { kit, catalog, jobs: width, repeat, signal, onOutcome })
    // Some of them say nothing about all of them.
    if (wanted === undefined && !signal.aborted) await recordTests(loaded, found, report.outcomes)
    const names = subjects.map(({ name }) => name)
    const baseline = signal.aborted
      ? undefined
      : await concludeBaseline({
          outcomes: report.outcomes,
          atOnce: Math.min(width, tests.length),
          whole: wanted === undefined && !isOneTest(what) ? names : [],
        })
    return {
      ...report,
      problems,
      names,
      folders: subjects.map(({ folder }) => folder),
      ...(baseline === undefined ? {} : { baseline }),
    }
  } finally {
    await runtime.close()
    found?.discard()
  }
}

const MOST_NAMES = 10

function someNames(tests: readonly FoundTest[]): string {
  const names = tests.slice(0, MOST_NAMES).map(({ name }) => name)
  const more = tests.length - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
