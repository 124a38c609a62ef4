import { compareFaces, type PackageDiff, whatBreaks } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import type { InstallDeps, PlannedPackage } from '../../packages/index.ts'
import { copyTree, openStaging } from '../../platform/index.ts'
import { openOneOff } from '../one-off.ts'
import type { PackageContext } from '../packages/context.ts'
import { findPackages } from '../packages/found.ts'
import { findInstalled } from '../testing/find-installed.ts'
import { folderSubject } from '../testing/folder-subject.ts'
import { faceOf } from './face.ts'
import { runBoth } from './run-both.ts'

/** An update that is looked at before it happens. */
export interface Review {
  /** The same install, which shows what changes and, if it is to be safe, stops at what breaks. */
  readonly deps: InstallDeps
  /** With what the tests have shown since. */
  withTests(planned: readonly PlannedPackage[]): PlannedPackage[]
  /** Refuses what breaks by what is known of it. */
  check(planned: readonly PlannedPackage[]): void
}

export function reviewUpdate(
  deps: InstallDeps,
  context: PackageContext,
  isSafe: boolean,
  signal: AbortSignal,
): Review {
  const { ports } = deps
  const diffs = new Map<string, PackageDiff>()
  const check = (planned: readonly PlannedPackage[]) => {
    if (isSafe) refuseBroken(planned.flatMap(({ diff }) => diff ?? []))
  }
  return {
    check,
    withTests: (planned) =>
      planned.map((one) => {
        const diff = diffs.get(one.name)
        return diff === undefined ? one : { ...one, diff }
      }),
    deps: {
      ...deps,
      ports: {
        ...ports,
        async compare(folder, planned) {
          const diff = await compareWritten(context, folder, planned)
          if (diff !== undefined) diffs.set(planned.name, diff)
          return diff
        },
        async consent(plan) {
          for (const { diff } of plan.packages) if (diff) context.conversation.compared?.(diff)
          check(plan.packages)
          return ports.consent(plan)
        },
        async runTests(folder, manifest, beside) {
          const written = diffs.get(manifest.name)
          if (written === undefined) return ports.runTests(folder, manifest, beside)
          const diff = await compareTests(context, written, folder, isSafe, signal)
          diffs.set(manifest.name, diff)
          if (diff.tests !== null) context.conversation.compared?.(diff)
          if (isSafe) refuseBroken([diff])
          return ports.runTests(folder, manifest, beside)
        },
      },
    },
  }
}

/** Beside the version that serves; undefined where none does. */
async function compareWritten(
  { loaded }: PackageContext,
  folder: string,
  { name, from }: PlannedPackage,
): Promise<PackageDiff | undefined> {
  const packages = await findPackages(loaded)
  const current = packages.find(({ manifest, state }) => manifest.name === name && state === 'in use')
  if (current === undefined) return undefined
  const before = await faceOf(current.folder, current.folder, loaded).catch(whenDamaged)
  return before && { ...compareFaces(before, await faceOf(folder, from, loaded)), tests: null }
}

/** What is damaged has nothing to lose, and an update may be its cure. */
function whenDamaged(error: unknown): undefined {
  if (error instanceof OrlaError) return undefined
  throw error
}

/** The tests of both against both, in a copy: what is installed is what was checked. */
async function compareTests(
  context: PackageContext,
  written: PackageDiff,
  folder: string,
  isSafe: boolean,
  signal: AbortSignal,
): Promise<PackageDiff> {
  const { loaded, world, places } = context
  if (!isSafe && loaded.config.testOnInstall === 'off') return written
  const runtime = openOneOff(world, loaded, { trial: 'stranger' })
  const trial = openStaging(places.cacheDir)
  try {
    copyTree(folder, trial.dir)
    const { name, version } = written.before
    const [before] = (await findInstalled(loaded, runtime, `${name}@${version}`)).subjects
    if (before === undefined) return written
    const now = await folderSubject(trial.dir, runtime, loaded.mcpkg.host)
    const options = { repeat: 1, strict: false, local: true, signal }
    const tests = await runBoth(before, now, loaded, runtime, options)
    // What was broken off has failed for no fault of its own.
    return signal.aborted ? written : { ...written, tests }
  } finally {
    await runtime.close()
    trial.discard()
  }
}

function refuseBroken(diffs: readonly PackageDiff[]): void {
  const broken = diffs.flatMap((diff) => {
    const breaks = whatBreaks(diff)
    const { before, now } = diff
    return breaks.length === 0
      ? []
      : [`${now.name} ${now.version} breaks what works with ${before.version}:`, ...breaks]
  })
  if (broken.length === 0) return
  throw new OrlaError('E_REGRESSION', broken.join('\n'), {
    hint: 'nothing was changed; without --safe it is updated all the same',
  })
}
