import { dirname, join } from 'node:path'
import {
  type Baseline,
  type BaselineReport,
  type BaselineTest,
  baselineTest,
  compareWithBaseline,
  formatBaseline,
  parseBaseline,
  type TestOutcome,
} from '../../formats/index.ts'
import {
  hostMark,
  makeFolder,
  readTextIfThere,
  withFolderLock,
  writeFileAtomic,
} from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { TestRequest } from './run-tests.ts'

/** What was tested, for whoever compares it or stores it. */
interface TestedRun {
  readonly outcomes: readonly TestOutcome[]
  readonly atOnce: number
  /** Packages all of whose tests were run. */
  readonly whole: readonly string[]
}

type BaselineWish = Pick<TestRequest, 'what' | 'filter' | 'storeBaseline' | 'strict'>

/**
 * What becomes of a run: it is stored as the baseline, or compared with the one that is there; undefined when there is
 * none. A damaged baseline is an error: silence would pass for "no regressions".
 */
export function openBaseline(
  loaded: LoadedConfig,
  { what, filter, storeBaseline = false, strict = false }: BaselineWish,
): (run: TestedRun) => Promise<BaselineReport | undefined> {
  const file = baselineFile(loaded)
  const isAll = what === null && filter === undefined
  if (storeBaseline && isAll) return (run) => store(file, run, () => [])
  const baseline = read(file)
  // Read again when it is written: someone else may have stored something meanwhile.
  if (storeBaseline) return (run) => store(file, run, () => read(file)?.tests ?? [])
  return async ({ outcomes, ...facts }) => {
    if (baseline === undefined) return undefined
    const comparison = compareWithBaseline(outcomes, baseline, {
      ...facts,
      // Where everything was tested, a package without tests is gone, or its tests are.
      ...(isAll && { whole: baseline.tests.map((test) => test.package) }),
      host: hostMark(),
      isStrict: strict,
    })
    return { file, isStored: false, ...comparison }
  }
}

/** Beside orla.yaml, where it can be committed; without a project among Orla's own files. */
function baselineFile({ file, root, home }: LoadedConfig): string {
  return join(file === null ? home : join(root, '.orla'), 'baseline.json')
}

function read(file: string): Baseline | undefined {
  const text = readTextIfThere(file)
  return text === undefined ? undefined : parseBaseline(text, file)
}

/** Replaces what the baseline says about the tests that were run; of `old`, the others stay. */
async function store(
  file: string,
  { outcomes, atOnce, whole }: TestedRun,
  old: () => readonly BaselineTest[],
): Promise<BaselineReport> {
  const host = hostMark()
  const fresh = outcomes.map((outcome) => baselineTest(outcome, host, atOnce))
  const folder = dirname(file)
  makeFolder(folder)
  // Two that store at once must not lose what the other has stored.
  await withFolderLock(join(folder, '.baseline-lock'), async () => {
    const kept = old().filter(
      (test) => !whole.includes(test.package) && !fresh.some((one) => isSame(one, test)),
    )
    writeFileAtomic(file, formatBaseline({ tests: [...kept, ...fresh] }))
  })
  return { file, isStored: true, regressions: [], notes: [], compared: 0 }
}

function isSame(a: BaselineTest, b: BaselineTest): boolean {
  return a.tool === b.tool && a.name === b.name && a.file === b.file
}
