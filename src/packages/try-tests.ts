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
  for (const { manifest, staging, paths } of tested) {
    ports.progress(manifest.name, 'testing')
    // Without tests nothing runs; whether that is good enough is not for this room to say.
    const copy = paths.some(mayTest) ? join(staging.dir, '../trial') : staging.dir
    if (copy !== staging.dir) copyTree(staging.dir, copy)
    const failed = await ports.runTests(copy, manifest)
    if (failed.length === 0) continue
    throw new OrlaError(
      'E_TESTS',
      `${manifest.name} ${manifest.version} fails its own tests:\n${failed.join('\n')}`,
      {
        hint: '--no-test installs it all the same',
      },
    )
  }
  if (tested.some(({ paths }) => paths.some(mayTest))) await checkUntouched(candidates)
}

/** The manifest of an .mcpkg may name any file as a test. */
export function mayTest(path: string): boolean {
  return path.startsWith('tests/') || path.endsWith('.test.json') || path === 'manifest.json'
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
