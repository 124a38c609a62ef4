import { join } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { copyTree } from '../platform/index.ts'
import type { Candidate } from './candidate.ts'
import { checkPackage } from './check.ts'
import type { PlannedPackage, Ports } from './ports.ts'

/** In a copy, because what runs can write where it lies, and what is installed is what was checked. */
export async function tryTests(
  candidates: readonly Candidate[],
  planned: readonly PlannedPackage[],
  ports: Ports,
): Promise<void> {
  const tested = candidates.filter((_candidate, index) => planned[index]?.action !== 'keep')
  // Before the first test runs: what a chain calls is a copy, too.
  const isChain = tested.some(({ calls }) => calls.length > 0)
  const folders = tested.map((candidate) => trialFolder(candidate, isChain))
  for (const [index, { manifest }] of tested.entries()) {
    ports.progress(manifest.name, 'testing')
    const folder = folders[index] ?? ''
    const beside = folders.filter((other) => other !== folder)
    const failed = await ports.runTests(folder, manifest, beside)
    if (failed.length === 0) continue
    throw new OrlaError(
      'E_TESTS',
      `${manifest.name} ${manifest.version} fails its own tests:\n${failed.join('\n')}`,
      {
        hint: '--no-test installs it all the same',
      },
    )
  }
  if (tested.some((candidate) => candidate.bringsTests)) await checkUntouched(candidates)
}

/** Without tests nothing runs; whether that is good enough is not for this room to say. */
function trialFolder({ staging, bringsTests }: Candidate, mayBeCalled: boolean): string {
  if (!mayBeCalled && !bringsTests) return staging.dir
  const copy = join(staging.dir, '../trial')
  copyTree(staging.dir, copy)
  return copy
}

/** The way from the copy to what it was made of is short. */
async function checkUntouched(candidates: readonly Candidate[]): Promise<void> {
  for (const { manifest, digest, staging } of candidates) {
    if ((await checkPackage(staging.dir)).digest === digest) continue
    throw new OrlaError(
      'E_CHECKSUM',
      `the files of ${manifest.name} ${manifest.version} were changed while its tests ran`,
      { hint: 'nothing was installed; a package that does this is not to be trusted' },
    )
  }
}
