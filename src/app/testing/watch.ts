import { resolve } from 'node:path'
import type { TestOutcome } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { isFolder, watchTrees } from '../../platform/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { interruptible } from '../packages/install.ts'
import type { World } from '../world.ts'
import { isArchive } from './find-subjects.ts'
import { runOnce, type TestRequest, type TestRun } from './run-tests.ts'

/** Who is told what happens while tests run again and again. */
export interface TestAudience {
  readonly onOutcome: (outcome: TestOutcome) => void
  readonly onRun: (run: TestRun) => void
  /** Nothing could be run: the package is broken at the moment, or was removed. */
  readonly onProblem: (error: OrlaError) => void
  /** From here on a change is noticed. */
  readonly onWaiting: () => void
  /** A file has changed, and everything runs anew. */
  readonly onChange: (file: string) => void
}

/** Runs the tests, and again whenever a file of the packages changes, until someone interrupts it. */
export async function watchTests(
  world: World,
  config: ConfigRequest,
  request: TestRequest,
  audience: TestAudience,
): Promise<void> {
  await interruptible(world, async (signal) => {
    const run = async () =>
      runOnce(world, await loadConfig(world, config), request, signal, audience.onOutcome)
    const again = async () => {
      try {
        const done = await run()
        if (!signal.aborted) audience.onRun(done)
      } catch (error) {
        if (!(error instanceof OrlaError)) throw error
        audience.onProblem(error)
      }
    }
    // What cannot be found the first time cannot be watched either.
    const first = await run()
    if (signal.aborted) return
    audience.onRun(first)
    const changes = watchChanges(watched(world, request, first), audience.onWaiting, signal)
    try {
      for (let file = await changes.next(); file !== undefined; file = await changes.next()) {
        audience.onChange(file)
        await again()
      }
    } finally {
      changes.close()
    }
  })
}

function watched({ cwd }: World, { what }: TestRequest, { folders }: TestRun): readonly string[] {
  const path = what === null ? undefined : resolve(cwd, what)
  return path !== undefined && (isFolder(path) || isArchive(path)) ? [path] : folders
}

const QUIET_MS = 100

/** Only what changes while someone waits counts: tests may write files themselves. */
function watchChanges(paths: readonly string[], onWaiting: () => void, signal: AbortSignal) {
  let answer: (file: string | undefined) => void = () => {}
  let problem: OrlaError | undefined
  const watcher = watchTrees(paths, {
    debounceMs: QUIET_MS,
    onChange: (file) => answer(file),
    onError: (error) => {
      problem = error
      answer(undefined)
    },
  })
  signal.addEventListener('abort', () => answer(undefined), { once: true })
  // Neither a watch nor a signal keeps the program running.
  const stay = setInterval(() => {}, 60_000)
  return {
    async next(): Promise<string | undefined> {
      watcher.look()
      const file = await new Promise<string | undefined>((resolve) => {
        answer = resolve
        if (signal.aborted || problem !== undefined) resolve(undefined)
        else onWaiting()
      })
      answer = () => {}
      if (problem !== undefined) throw problem
      return file
    },
    close() {
      clearInterval(stay)
      watcher.close()
    },
  }
}
