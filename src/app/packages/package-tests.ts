import { createDiscovery } from '../../catalog/index.ts'
import { type Catalog, EMPTY_CATALOG } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OneOff } from '../one-off.ts'
import { testsOf } from '../package-files.ts'
import { folderSubject } from '../testing/folder-subject.ts'
import { decideWithoutTests, testBeforeInstall } from '../testing/gate.ts'
import { recordGate } from '../testing/record-tests.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'

/** What speaks against installing a package, by the tests it brings: their names and why they failed. */
export async function runPackageTests(
  world: World,
  loaded: LoadedConfig,
  folder: string,
  beside: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<string[]> {
  // Most packages are installed without anything to run: nothing is opened for them.
  const early = decideWithoutTests(await testsOf(folder), loaded.config)
  if (early !== undefined) return early
  const { openOneOff } = await import('../one-off.ts')
  const runtime = openOneOff(world, loaded, { trial: 'accepted' })
  try {
    const subject = await folderSubject(folder, runtime, loaded.mcpkg.host)
    const isChain = subject.tools.some(({ run }) => run.kind === 'chain')
    const others = isChain ? await toolsBeside(beside, loaded, runtime) : EMPTY_CATALOG
    return await testBeforeInstall(subject, loaded, runtime, signal, others, (outcomes) =>
      recordGate(loaded, subject.tools, outcomes),
    )
  } finally {
    await runtime.close()
  }
}

/** What a chain may call: what is served, and over it what is installed together with it. */
async function toolsBeside(
  folders: readonly string[],
  loaded: LoadedConfig,
  runtime: OneOff,
): Promise<Catalog> {
  const { catalog } = await createDiscovery().scan(whereOf(loaded, undefined, runtime.integrity))
  const subjects = await Promise.all(
    folders.map((folder) => folderSubject(folder, runtime, loaded.mcpkg.host)),
  )
  const coming = subjects.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool] as const))
  return { ...catalog, tools: new Map([...catalog.tools, ...coming]) }
}
