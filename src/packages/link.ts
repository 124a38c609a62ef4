import { join } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { linkFolder, sweepStaging, withFolderLock } from '../platform/index.ts'
import { checkPackage } from './check.ts'
import type { InstalledPackage } from './install.ts'
import type { Places } from './places.ts'

/**
 * A development folder serves from where it is. It is its owner's own: no receipt, no consent, and nothing in
 * orla.lock, because the path means something on this machine only.
 */
export async function link(
  path: string,
  places: Places,
  warn: (message: string) => void,
): Promise<InstalledPackage> {
  const { manifest, problems } = await checkPackage(path)
  for (const { severity, message } of problems) if (severity === 'warning') warn(message)
  if (manifest === undefined) {
    const lines = problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
    throw new OrlaError('E_PACKAGE', `${path} is not a package that can be installed:\n${lines.join('\n')}`)
  }
  const { name, version } = manifest
  const folder = join(places.toolsDir, name, version)
  await withFolderLock(join(places.toolsDir, '.orla-lock'), async () => {
    sweepStaging(places.toolsDir)
    linkFolder(path, folder)
  })
  return { name, version, status: 'installed', folder, pin: { kind: 'directory', path } }
}
