import { compareVersions, isPreRelease, newestVersion } from '../formats/index.ts'
import { type Lock, type Manifest, OrlaError } from '../model/index.ts'
import type { Wanted } from './wanted.ts'

/**
 * Whoever asks for the newest version must not get an older one than was seen before: that is how someone in between
 * keeps a repaired fault open. A version that was named, or a file that was, is what the person wants.
 */
export function checkDowngrade(wanted: Wanted, { name, version }: Manifest, lock: Lock): void {
  if (!asksForNewest(wanted)) return
  const locked = lock.packages.filter((entry) => entry.name === name).map((entry) => entry.version)
  // Pre-releases are not what `latest` means.
  const seen = newestVersion(locked.filter((one) => !isPreRelease(one)))
  if (seen === undefined || compareVersions(version, seen) >= 0) return
  throw new OrlaError(
    'E_DOWNGRADE',
    `the newest version of ${name} is ${version} now, but orla.lock has ${seen}`,
    {
      hint: `ask its author; \`orla install ${name}@v${version}\` or --allow-downgrade takes it`,
    },
  )
}

function asksForNewest(wanted: Wanted): boolean {
  if ('update' in wanted) return true
  if ('locked' in wanted) return false
  const { spec } = wanted
  if (spec.kind === 'download') return spec.sha256 === undefined
  return spec.kind !== 'local' && spec.tag === undefined
}
